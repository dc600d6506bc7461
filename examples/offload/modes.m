% SPDX-License-Identifier: Apache-2.0
% Vibrations of a membrane that is fixed at its edge: eigenvalues of a dense matrix, which LAPACK finds, and
% how a push spreads over its modes, which is products. Octave calls BLAS and LAPACK as any program does.
%
%     blockyard offload serve --device host &
%     blockyard offload run -- octave-cli --norc examples/offload/modes.m
1;
function stiffness = membrane(side)
  % Minus the Laplacian on a square grid, in units of the grid.
  line = 2 * eye(side) - diag(ones(side - 1, 1), 1) - diag(ones(side - 1, 1), -1);
  stiffness = kron(line, eye(side)) + kron(eye(side), line);
end

side = 14;
if numel(argv()) > 0
  side = str2double(argv(){1});
end
[modes, values] = eig(membrane(side));
k = (1:side)';
single = 4 * sin(k * pi / (2 * side + 2)) .^ 2;
exact = sort((single + single')(:));
printf("largest error of an eigenvalue is small: %d\n", max(abs(diag(values) - exact)) < 1e-12 * side ^ 2);
push = zeros(side ^ 2, 1);
push(ceil(side ^ 2 / 3)) = 1;
weights = modes' * push;
printf("modes are complete: %d\n", abs(norm(weights) - 1) < 1e-12);
printf("lowest frequencies: %s\n", sprintf("%.6f ", sqrt(diag(values)(1:4))));
back = modes * (values \ weights);
printf("the displacement solves the equation: %d\n", norm(membrane(side) * back - push) < 1e-10);
