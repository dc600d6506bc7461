/* SPDX-License-Identifier: Apache-2.0 */
/* MA: a stack and a heap of one process in one piece of memory. Functions that answer a Boolean say
   MA_TRUE when they did it. */
#ifndef BLOCKYARD_MACDECLS_H
#define BLOCKYARD_MACDECLS_H

#include <macommon.h>
#include <matypes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_CHAR MT_C_CHAR
#define MT_INT MT_C_INT
#define MT_LONGINT MT_C_LONGINT
#define MT_LONGLONG MT_C_LONGLONG
#define MT_REAL MT_C_FLOAT
#define MT_DBL MT_C_DBL
#define MT_LDBL MT_C_LDBL
#define MT_SCPL MT_C_SCPL
#define MT_DCPL MT_C_DCPL
#define MT_LDCPL MT_C_LDCPL
#define MT_C_FIRST MT_CHAR
#define MT_C_LAST MT_LDCPL

Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap);
Boolean MA_initialized(void);

Boolean MA_alloc_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                     MA_AccessIndex* index);
Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char* name, Integer* memhandle);
Boolean MA_free_heap(Integer memhandle);
Boolean MA_free_heap_piece(Integer memhandle, Integer nelem);
Boolean MA_push_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                    MA_AccessIndex* index);
Boolean MA_push_stack(Integer datatype, Integer nelem, const char* name, Integer* memhandle);
Boolean MA_pop_stack(Integer memhandle);
Boolean MA_chop_stack(Integer memhandle);

Boolean MA_get_index(Integer memhandle, MA_AccessIndex* index);
Boolean MA_get_pointer(Integer memhandle, void* pointer);
Pointer MA_get_mbase(Integer datatype);
Boolean MA_init_memhandle_iterator(Integer* ithandle);
Boolean MA_get_next_memhandle(Integer* ithandle, Integer* memhandle);

Integer MA_inquire_avail(Integer datatype);
Integer MA_inquire_heap(Integer datatype);
Integer MA_inquire_heap_check_stack(Integer datatype);
Integer MA_inquire_heap_no_partition(Integer datatype);
Integer MA_inquire_stack(Integer datatype);
Integer MA_inquire_stack_check_heap(Integer datatype);
Integer MA_inquire_stack_no_partition(Integer datatype);
Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2);
Integer MA_sizeof_overhead(Integer datatype);

Boolean MA_get_numalign(Integer* value);
Boolean MA_set_numalign(Integer value);
Boolean MA_set_auto_verify(Boolean value);
Boolean MA_set_error_print(Boolean value);
Boolean MA_set_hard_fail(Boolean value);
/* func("MA aborting", 0) is called where MA would end the program, which it does after
 * MA_set_hard_fail. */
void MA_set_error_callback(void (*func)(const char*, int));
void ma_set_error_callback(void (*func)(const char*, int));
void MA_print_stats(Boolean printroutines);
void MA_summarize_allocated_blocks(void);
void MA_trace(Boolean value);
Boolean MA_verify_allocator_stuff(void);

/* Element k of a block is ma_cb_x[index + k], with the base of its type. */
extern char ma_cb_char[];
extern int ma_cb_int[];
extern long ma_cb_long[];
extern long long ma_cb_longlong[];
extern float ma_cb_float[];
extern double ma_cb_dbl[];
extern MA_LongDouble ma_cb_ldbl[];
extern MA_SingleComplex ma_cb_scpl[];
extern MA_DoubleComplex ma_cb_dcpl[];
extern MA_LongDoubleComplex ma_cb_ldcpl[];

#ifdef __cplusplus
}
#endif

#endif
