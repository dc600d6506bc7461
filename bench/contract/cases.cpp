// SPDX-License-Identifier: Apache-2.0
#include "bench/contract/cases.h"

#include <array>

namespace blockyard::bench {
namespace {

constexpr std::string_view triples = "a24 b16 c16 d24 e16 f12 g24";
constexpr std::string_view small_triples = "a16 b12 c16 d12 e16 f12 g16";

constexpr std::array large = {
    Case{"abcde-efbad-cf", "a48 b24 c24 d32 e24 f32"},
    Case{"abcde-ecbfa-fd", "a48 b24 c24 d24 e32 f32"},
    Case{"abcd-dbea-ec", "72"},
    Case{"abc-bda-dc", "296"},
    Case{"abcdef-dega-gfbc", triples},
    Case{"abcdef-degc-gfab", triples},
    Case{"abcd-ea-ebcd", "72"},
    Case{"abcd-ec-abed", "72"},
    Case{"abc-adec-ebd", "72"},
    Case{"ab-acd-dbc", "a312 b312 c296 d280"},
    Case{"abc-acd-db", "296"},
    Case{"abcd-aebf-fdec", "56"},
    Case{"abij-abef-efij", "a88 b88 e88 f88 i20 j20"},
};

constexpr std::array tccg = {
    // a tensor by a matrix
    Case{"abc-bda-dc", "192"},
    Case{"abc-dca-bd", "192"},
    Case{"abcd-dbea-ec", "48"},
    Case{"abcd-deca-be", "48"},
    Case{"abcd-ebad-ce", "48"},
    Case{"abcde-efbad-cf", "a32 b16 c24 d24 e16 f32"},
    Case{"abcde-ecbfa-fd", "a32 b16 c24 d24 e16 f32"},
    Case{"abcde-efcad-bf", "a32 b16 c24 d24 e16 f32"},
    // atomic to molecular orbitals
    Case{"abcd-ea-ebcd", "48"},
    Case{"abcd-eb-aecd", "48"},
    Case{"abcd-ec-abed", "48"},
    // coupled cluster
    Case{"ab-ac-cb", "800"},
    Case{"ab-acd-dbc", "a128 b144 c96 d112"},
    Case{"ab-cad-dcb", "a128 b144 c96 d112"},
    Case{"abc-acd-db", "144"},
    Case{"abc-ad-bdc", "144"},
    Case{"abc-adc-bd", "144"},
    Case{"abc-adc-db", "144"},
    Case{"abc-adec-ebd", "48"},
    Case{"abcd-aebf-dfce", "32"},
    Case{"abcd-aebf-fdec", "32"},
    Case{"abcd-aecf-bfde", "32"},
    Case{"abcd-aecf-fbed", "32"},
    Case{"abcd-aedf-bfce", "32"},
    Case{"abcd-aedf-fbec", "32"},
    Case{"abcd-aefb-fdce", "32"},
    Case{"abcd-aefc-fbed", "32"},
    Case{"abcd-eafb-fdec", "32"},
    Case{"abcd-eafc-bfde", "32"},
    Case{"abcd-eafd-fbec", "32"},
    // triples of coupled cluster
    Case{"abcdef-dega-gfbc", small_triples},
    Case{"abcdef-degb-gfac", small_triples},
    Case{"abcdef-degc-gfab", small_triples},
    Case{"abcdef-dfga-gebc", small_triples},
    Case{"abcdef-dfgb-geac", small_triples},
    Case{"abcdef-dfgc-geab", small_triples},
    Case{"abcdef-efga-gdbc", small_triples},
    Case{"abcdef-efgb-gdac", small_triples},
    Case{"abcdef-efgc-gdab", small_triples},
    Case{"abcdef-gdab-efgc", small_triples},
    Case{"abcdef-gdac-efgb", small_triples},
    Case{"abcdef-gdbc-efga", small_triples},
    Case{"abcdef-geab-dfgc", small_triples},
    Case{"abcdef-geac-dfgb", small_triples},
    Case{"abcdef-gebc-dfga", small_triples},
    Case{"abcdef-gfab-degc", small_triples},
    Case{"abcdef-gfac-degb", small_triples},
    Case{"abcdef-gfbc-dega", small_triples},
};

// i..n are occupied, a..d virtual, p..s atomic orbitals; t(a,i,b,j) as SIAL programs keep it.
constexpr std::array blocks = {
    Case{"abij-abcd-cdij", "24 i16 j16"},      // particle ladder
    Case{"aibj-acbd-cidj", "24 i16 j16"},      // particle ladder, t(aibj)
    Case{"aibj-akbl-kilj", "20 a30 b30"},      // hole ladder
    Case{"aibj-aick-ckbj", "32 i20 j20 k20"},  // ring
    Case{"abij-acik-kbcj", "32 i20 j20 k20"},  // ring, crossed
    Case{"aibj-ajck-ckbi", "40 i16 j16 k16"},  // ring, exchange
    Case{"kilj-kcld-cidj", "20 c24 d24"},      // quadratic, W(klij)
    Case{"ac-kcld-kald", "32 k20 l20"},        // quadratic, F(ac)
    Case{"aibj-aicj-bc", "40 i20 j20"},        // F(bc) on t(aibj)
    Case{"abci-abcd-di", "30 i16"},            // T1 on V(abcd)
    Case{"aibj-akbj-ik", "20 a40 b40"},        // T1 in the middle
    Case{"pirs-pqrs-qi", "32 i16"},            // transformation, 2nd index
};

}  // namespace

std::span<const Case> large_cases() { return large; }
std::span<const Case> tccg_cases() { return tccg; }
std::span<const Case> block_cases() { return blocks; }

}  // namespace blockyard::bench
