/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of TCGMSG, over MPI: messages alongside Global Arrays. Types are tags. */
#ifndef BLOCKYARD_TCGMSG_H
#define BLOCKYARD_TCGMSG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Start MPI if it has not been started, and end it then. */
void tcg_pbegin(int argc, char** argv);
void tcg_alt_pbegin(int* argc, char** argv[]);
void tcg_pbeginf(void);
void tcg_pbginf(void);
void tcg_pend(void);
long tcg_ready(void);
long tcg_nodeid(void);
long tcg_nnodes(void);

void tcg_synch(long type);
void tcg_brdcst(long type, void* buf, long lenbuf, long originator);
void tcg_dgop(long type, double* x, long n, char* op);
void tcg_igop(long type, long* x, long n, char* op);
/* sync: 1 returns when the buffer may be used again, 0 at once; tcg_waitcom then waits. Node -1:
 * any. */
void tcg_snd(long type, void* buf, long lenbuf, long node, long sync);
void tcg_rcv(long type, void* buf, long lenbuf, long* lenmes, long nodeselect, long* nodefrom,
             long sync);
void tcg_waitcom(long node);
long tcg_probe(long type, long node);
/* The next number of a counter of all processes; mproc < 0: all come, and it begins at 0 again. */
long tcg_nxtval(long mproc);

/* Bytes of n doubles or INTEGERs, and so on. */
long tcg_mdtob(long n);
long tcg_mdtoi(long n);
long tcg_mitob(long n);
long tcg_mitod(long n);
double tcg_time(void);
long tcg_mtime(void); /* hundredths of a second */
double tcg_drand48(void);
void tcg_srand48(long seed);

void tcg_error(char* msg, long code);
void tcg_parerr(long code);
void tcg_llog(void);
void tcg_stats(void);
void tcg_setdbg(long value);
long tcg_niceftn(long ival);
/* Copies a file of process node0 to those that do not see it. */
void tcg_pfcopy(long type, long node0, char* fname);

#ifdef __cplusplus
}
#endif

#endif
