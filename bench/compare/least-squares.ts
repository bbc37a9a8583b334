/** Coefficients of a sum, and how far the sum is from what was measured. */
export interface Fit {
  readonly coefficients: readonly number[];
  /** Root of the mean square of the relative errors. */
  readonly residual: number;
}

/**
 * Fits `measured = sum of coefficient x factor` with coefficients of at least zero: a thing cannot cost less than
 * nothing. Errors count relative to the measured value, so that a long run weighs as much as a short one. With few
 * factors it can try every subset of them, which is exact.
 */
export function fitCosts(factors: readonly (readonly number[])[], measured: readonly number[]): Fit {
  const count = factors[0]?.length ?? 0;
  let best: Fit | undefined;
  for (let subset = 1; subset < 2 ** count; subset++) {
    const columns = Array.from({ length: count }, (_, column) => column).filter(
      (column) => (subset >> column) & 1,
    );
    const found = solve(columns, factors, measured);
    if (found === undefined || found.some((value) => value < 0)) continue;
    const coefficients = Array<number>(count).fill(0);
    columns.forEach((column, index) => {
      coefficients[column] = found[index]!;
    });
    const residual = residualOf(coefficients, factors, measured);
    if (best === undefined || residual < best.residual - 1e-12) best = { coefficients, residual };
  }
  if (best === undefined) throw new Error('the runs do not determine the costs; vary them more');
  return best;
}

export function predicted(coefficients: readonly number[], factors: readonly number[]): number {
  return factors.reduce((sum, factor, column) => sum + factor * coefficients[column]!, 0);
}

function residualOf(
  coefficients: readonly number[],
  factors: readonly (readonly number[])[],
  measured: readonly number[],
): number {
  const squares = measured.map((value, run) => (predicted(coefficients, factors[run]!) / value - 1) ** 2);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

/** Solves the normal equations of the weighted columns; `undefined` if they depend on each other. */
function solve(
  columns: readonly number[],
  factors: readonly (readonly number[])[],
  measured: readonly number[],
): number[] | undefined {
  const weighted = factors.map((row, run) => columns.map((column) => row[column]! / measured[run]!));
  // Columns differ by orders of magnitude; without scaling the elimination loses digits.
  const scales = columns.map((_, column) =>
    Math.sqrt(weighted.reduce((sum, row) => sum + row[column]! ** 2, 0)),
  );
  if (scales.includes(0)) return undefined;
  const scaled = weighted.map((row) => row.map((value, column) => value / scales[column]!));
  const matrix = columns.map((_, a) => [
    ...columns.map((_, b) => scaled.reduce((sum, row) => sum + row[a]! * row[b]!, 0)),
    scaled.reduce((sum, row) => sum + row[a]!, 0),
  ]);
  for (let pivot = 0; pivot < columns.length; pivot++) {
    const largest = matrix
      .slice(pivot)
      .reduce((best, row) => (Math.abs(row[pivot]!) > Math.abs(best[pivot]!) ? row : best));
    if (Math.abs(largest[pivot]!) < 1e-9) return undefined;
    matrix.splice(matrix.indexOf(largest), 1);
    matrix.splice(pivot, 0, largest);
    for (let row = 0; row < columns.length; row++) {
      if (row === pivot) continue;
      const times = matrix[row]![pivot]! / largest[pivot]!;
      matrix[row] = matrix[row]!.map((value, column) => value - times * largest[column]!);
    }
  }
  return matrix.map((row, index) => row.at(-1)! / row[index]! / scales[index]!);
}
