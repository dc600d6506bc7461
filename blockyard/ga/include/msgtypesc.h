/* SPDX-License-Identifier: Apache-2.0 */
/* TCGMSG: what a message holds, added to its type. */
#ifndef BLOCKYARD_MSGTYPESC_H
#define BLOCKYARD_MSGTYPESC_H

#define MSGDBL 65536
#define MSGINT 131072
#define MSGCHR 262144

#endif
