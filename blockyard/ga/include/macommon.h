/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the element types, for the memory allocator and for Global Arrays. */
#ifndef BLOCKYARD_MACOMMON_H
#define BLOCKYARD_MACOMMON_H

#define MA_FALSE 0
#define MA_TRUE 1
#define MA_DEFAULT_SPACE (-1)
#define MA_NAMESIZE 32

#define MT_BASE 1000
#define MT_C_CHAR 1000
#define MT_C_INT 1001
#define MT_C_LONGINT 1002
#define MT_C_FLOAT 1003
#define MT_C_DBL 1004
#define MT_C_LDBL 1005
#define MT_C_SCPL 1006
#define MT_C_DCPL 1007
#define MT_C_LDCPL 1008
#define MT_F_BYTE 1009
#define MT_F_INT 1010
#define MT_F_LOG 1011
#define MT_F_REAL 1012
#define MT_F_DBL 1013
#define MT_F_SCPL 1014
#define MT_F_DCPL 1015
#define MT_C_LONGLONG 1016

#define MT_FIRST MT_C_CHAR
#define MT_LAST MT_C_LONGLONG
#define MT_NUMTYPES (MT_LAST - MT_FIRST + 1)

#endif
