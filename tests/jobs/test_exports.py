#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files for other programs: Molden, cubes, FCIDUMP, QCSchema; and what states of CIS and EOM-CCSD are made of.

The Molden file is read here by its own rules, and its orbitals have the values that the cubes have at their points."""

import itertools
import json
import math
import unittest

import common

HEAD = '[basis]\nname = "{}"\nspherical = {}\n[method]\n'
SCF = HEAD + 'name = "scf"\n'
CARTESIANS = {0: [""], 1: ["x", "y", "z"], 2: ["xx", "yy", "zz", "xy", "xz", "yz"]}


def odd(n):
    return 1 if n < 2 else n * odd(n - 2)


def angular(l, spherical, x, y, z):
    """Functions of the Molden format whose square has the mean 1/(4 pi) r^2l over the sphere."""
    square = x * x + y * y + z * z
    factor = math.sqrt((2 * l + 1) / (4 * math.pi))
    if spherical and l == 2:
        s3 = math.sqrt(3)
        return [factor * v for v in ((3 * z * z - square) / 2, s3 * x * z, s3 * y * z, s3 / 2 * (x * x - y * y), s3 * x * y)]
    values = []
    for word in CARTESIANS[l]:
        n = [word.count(axis) for axis in "xyz"]
        norm = math.sqrt(odd(2 * l + 1) / math.prod(odd(2 * k - 1) for k in n) / (4 * math.pi))
        values.append(norm * x ** n[0] * y ** n[1] * z ** n[2])
    return values


class Molden:
    """What the file says, and the value of an orbital at a point."""

    def __init__(self, text):
        sections = {}
        for line in text.splitlines():
            if line.startswith("["):
                name = line.split("]")[0][1:]
                sections[name] = []
            else:
                sections[name].append(line.split())
        self.atoms = [[float(v) for v in words[3:6]] for words in sections["Atoms"]]
        self.spherical = "5D" in sections
        self.shells = []
        lines = iter(words for words in sections["GTO"] if words)
        for words in lines:
            if words[0] in "spdf" and len(words) == 3:
                self.shells.append((atom, "spdf".index(words[0]),
                                    [tuple(map(float, next(lines))) for _ in range(int(words[1]))]))
            else:
                atom = int(words[0]) - 1
        self.orbitals = []
        for words in sections["MO"]:
            if words[0] == "Sym=":
                self.orbitals.append({"c": []})
            if words[0].endswith("="):
                self.orbitals[-1][words[0]] = words[1]
            else:
                self.orbitals[-1]["c"].append(float(words[1]))

    def value(self, number, point):
        functions = []
        for atom, l, primitives in self.shells:
            d = [p - a for p, a in zip(point, self.atoms[atom])]
            square = sum(v * v for v in d)
            radial = sum(c * math.exp(-a * square) * math.sqrt(2 ** (l + 2) * (2 * a) ** (l + 1.5) /
                         (odd(2 * l + 1) * math.sqrt(math.pi))) for a, c in primitives)
            functions += [radial * v for v in angular(l, self.spherical, *d)]
        return sum(c * v for c, v in zip(self.orbitals[number - 1]["c"], functions, strict=True))


class Cube:
    def __init__(self, text):
        lines = text.splitlines()
        atoms, *self.origin = (float(v) for v in lines[2].split())
        axes = [line.split() for line in lines[3:6]]
        self.counts = [int(words[0]) for words in axes]
        self.spacing = float(axes[0][1])
        self.values = [float(v) for line in lines[6 + int(atoms):] for v in line.split()]

    def points(self, stride):
        places = itertools.product(*(range(count) for count in self.counts))
        for value, place in itertools.islice(zip(self.values, places, strict=True), 0, None, stride):
            yield [o + self.spacing * k for o, k in zip(self.origin, place)], value


class Exports(common.JobTest):
    def exported(self, text, *options):
        self.run_well("run", self.write("job.toml", common.WATER + text), "-w", "1", "--quiet", *options)

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def test_molden_and_cubes_agree(self):
        for spherical in ("true", "false"):
            with self.subTest(spherical=spherical):
                self.exported(SCF.format("6-31g*", spherical), "--molden", "m", "--cube", "homo=h", "--cube", "2=two")
                molden = Molden(self.read("m"))
                self.assertEqual([o["Occup="] for o in molden.orbitals[:6]], ["2.000000"] * 5 + ["0.000000"])
                for number, file in ((5, "h"), (2, "two")):
                    cube = Cube(self.read(file))
                    self.assertAlmostEqual(sum(v * v for v in cube.values) * cube.spacing**3, 1, delta=3e-3)
                    for point, value in cube.points(9973):
                        self.assertAlmostEqual(molden.value(number, point), value, delta=2e-6)

    def test_densities_have_their_electrons(self):
        self.exported(SCF.format("sto-3g", "true").replace("[basis]", "charge = 1\nmultiplicity = 2\n[basis]"),
                      "--molden", "m", "--cube", "density=d", "--cube", "spin=s", "--cube", "lumo_beta=l")
        self.assertEqual([o["Spin="] for o in Molden(self.read("m")).orbitals], ["Alpha"] * 7 + ["Beta"] * 7)
        spin = Cube(self.read("s"))
        self.assertAlmostEqual(sum(spin.values) * spin.spacing**3, 1, delta=1e-2)
        self.assertGreater(sum(Cube(self.read("d")).values) * spin.spacing**3, 8.5)

    def test_fcidump_has_the_energy_of_the_determinant(self):
        self.exported(SCF.format("6-31g", "true").replace('"scf"', '"mp2"\nfrozen_core = 1'), "--fcidump", "f", "--json", "r")
        v, h, core = {}, {}, 0
        head, body = self.read("f").split("&END")
        self.assertIn("NORB=12,NELEC=8", head)
        for line in body.split("\n")[1:-1]:
            value, *orbitals = line.split()
            p, q, r, s = map(int, orbitals)
            if r:
                for a, b in ((p, q), (q, p)):
                    for c, d in ((r, s), (s, r)):
                        v[a, b, c, d] = v[c, d, a, b] = float(value)
            elif p:
                h[p, q] = h[q, p] = float(value)
            else:
                core = float(value)
        occupied, virtual = range(1, 5), range(5, 13)
        fock = {p: h[p, p] + sum(2 * v.get((p, p, i, i), 0) - v.get((p, i, i, p), 0) for i in occupied) for p in range(1, 13)}
        scf = core + sum(h[i, i] + fock[i] for i in occupied)
        mp2 = sum(v.get((i, a, j, b), 0) * (2 * v.get((i, a, j, b), 0) - v.get((i, b, j, a), 0)) /
                  (fock[i] + fock[j] - fock[a] - fock[b]) for i, j in itertools.product(occupied, occupied)
                  for a, b in itertools.product(virtual, virtual))
        energies = json.loads(self.read("r"))["energies"]
        self.assertAlmostEqual(scf, energies["scf"], delta=1e-8)
        self.assertAlmostEqual(mp2, energies["mp2_correlation"], delta=1e-8)

    def test_qcschema_in_and_out(self):
        bohr = 1 / 0.52917721092
        job = {"schema_name": "qcschema_input", "schema_version": 1, "driver": "energy",
               "molecule": {"symbols": ["O", "H", "H"],
                            "geometry": [v * bohr for v in (0, 0, 0.1173, 0, 0.7572, -0.4692, 0, -0.7572, -0.4692)]},
               "model": {"method": "CCSD", "basis": "cc-pvdz"}, "keywords": {"frozen_core": 1}}
        path = self.write("in.json", json.dumps(job))
        self.run_well("run", path, "--qcschema", "out.json")
        out = json.loads(self.read("out.json"))
        self.assertTrue(out["success"])
        self.assertAlmostEqual(out["return_result"], -76.2380047126, delta=common.LIMIT_HARTREE)  # PySCF 2.14.0
        self.assertAlmostEqual(out["properties"]["scf_total_energy"], -76.0267720533941, delta=common.LIMIT_HARTREE)
        job["keywords"] = {"cc_iterations": 2}
        done = self.run_blockyard("run", self.write("in.json", json.dumps(job)), "--qcschema", "out.json")
        self.assert_fails(done, "did not converge")
        self.assertEqual(json.loads(self.read("out.json"))["error"]["error_type"], "convergence_error")
        for driver, why in (("gradient", "derivatives"), ("properties", "a result of properties")):
            job["driver"] = driver
            self.assert_fails(self.run_blockyard("run", self.write("in.json", json.dumps(job))), why)

    def test_what_is_wrong_in_qcschema_is_told_with_its_file(self):
        model = '"driver": "energy", "model": {"method": "hf", "basis": "sto-3g"}'
        for molecule, text in (('"geometry": [0, 0, 0], "molecular_multiplicity": 0',
                                "in.json: molecule.multiplicity: must be at least 1"),
                               ('"geometry": [0, 0, {}]',
                                "in.json: is not a QCSchema input: type must be number, but is object")):
            self.write("in.json", '{"molecule": {"symbols": ["He"], %s}, %s}' % (molecule, model))
            self.assert_fails(self.run_blockyard("run", "in.json"), "error: " + text)

    def test_what_cannot_be_exported_is_refused_before_the_run(self):
        path = self.write("job.toml", common.WATER + SCF.format("sto-3g", "true"))
        for options, part in ((["--cube", "spin=s"], "closed shell"), (["--cube", "99=x"], "1 to 7"),
                              (["--cube", "3b=x"], "closed shell"), (["--molden", "no/such/file"], "no/such")):
            with self.subTest(options=options):
                self.assert_fails(self.run_blockyard("run", path, *options), part)
        self.assertEqual(self.run_blockyard("run", path, "--cube", "h").returncode, 2)
        self.assert_fails(self.run_blockyard("run", path, "--fcidump", "f", "--set", "method.unrestricted=true"),
                          "closed shells")

    def test_states_have_oscillator_strengths_and_leading_excitations(self):
        text = common.WATER + HEAD.format("cc-pvdz", "true") + 'name = "{}"\nroots = 4\n'
        cis = self.results_of("run", self.write("job.toml", text.format("cis")))["excitations"]["cis"]
        # PySCF 2.14.0, TDA in the length gauge
        for value, reference in zip(cis["oscillator"], [0.0284666733, 0, 0.107813333, 0.0947320002], strict=True):
            self.assertAlmostEqual(value, reference, delta=1e-5)
        self.assertEqual([state[0]["from"] for state in cis["leading"]], ["5", "5", "4", "4"])
        self.assertEqual([state[0]["to"] for state in cis["leading"]], ["6", "7", "6", "7"])
        done = self.results_of("run", self.write("job.toml", text.format("eom-ccsd") + "frozen_core = 1\n"))
        leading = done["excitations"]["eom_ccsd"]["leading"]
        self.assertEqual([(state[0]["from"], state[0]["to"]) for state in leading],
                         [("5", "6"), ("5", "7"), ("4", "6"), ("4", "7")])
        self.assertGreater(abs(leading[0][0]["amplitude"]), 0.8)
        triplets = self.results_of("run", self.write("job.toml", text.format("cis") + "triplets = true\n"))
        self.assertNotIn("oscillator", triplets["excitations"]["cis"])


if __name__ == "__main__":
    unittest.main()
