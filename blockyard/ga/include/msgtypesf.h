! SPDX-License-Identifier: Apache-2.0
! TCGMSG: what a message holds, added to its type.
      integer msgdbl, msgint, msgchr
      parameter (msgdbl=65536, msgint=131072, msgchr=262144)
