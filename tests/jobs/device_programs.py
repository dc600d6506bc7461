# SPDX-License-Identifier: Apache-2.0
"""Programs of which test_devices.py knows what a device has to do."""

# Twenty fills outside of the marks, as many fills and copies between them; nothing that is learned.
MARKS = """sial marks
aoindex i = 1:1
index n = 1:20
temp a[i]
temp d[i]
do i
  do n
    a[i] = 1.0
    gpu_on
    a[i] *= 3.0
    d[i] = a[i]
    gpu_off
    print d[i]
  enddo n
enddo i
endsial marks
"""
# Numbers that a device gives back at once: a worker is as fast as its device.
SHARED = """sial shared
aoindex i = 1:1
index m = 1:20
index n = 1:20
temp a[i]
scalar x
scalar sum
pardo m, n
  do i
    a[i] = 2.0
    x += a[i] * a[i]
  enddo i
endpardo m, n
sip_barrier
collective sum += x
print sum
endsial shared
"""
# Four blocks of a static array, read four times each before they change, twice.
STATIC = """sial static_blocks
aoindex i = 1:2
aoindex j = 1:2
index n = 1:4
index k = 1:3
static s[i,j]
temp a[i,j]
scalar x
scalar sum
do k
  x += 1.0
  do i
    do j
      s[i,j] = x
      do n
        a[i,j] = 2.0
        sum += s[i,j] * a[i,j]
      enddo n
    enddo j
  enddo i
enddo k
print sum
endsial static_blocks
"""
# Results that the host needs at once: it computes them.
HOST_RESULTS = """sial host_results
aoindex i = 1:2
aoindex j = 1:2
aoindex k = 1:2
static s[i,j]
static r[i,j]
do i
  do j
    r[i,j] = 0.0
    do k
      r[i,j] += s[i,k] * s[k,j]
    enddo k
  enddo j
enddo i
endsial host_results
"""
LONG = """sial long
scalar x
index l = 1:30000
index m = 1:30000
index n = 1:30000
print "begun"
do l
  do m
    do n
      x += 1.0
    enddo n
  enddo m
enddo l
endsial long
"""
