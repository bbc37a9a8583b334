/** Options that the commands of benchmarks have in common. */

interface RowValues {
  readonly help: boolean;
  readonly list: boolean;
  readonly rows?: string | undefined;
}

interface Problem {
  readonly problem: string;
}

/** Parses the command line. Returns the values and the words of `--rows`, another thing to do, or an error message. */
export function readRowOptions<Values extends RowValues>(
  parse: () => Values,
  rowNames: readonly string[],
): { readonly values: Values; readonly words: readonly string[] | undefined } | 'help' | 'list' | Problem {
  let values: Values;
  try {
    values = parse();
  } catch (error) {
    return { problem: (error as Error).message };
  }
  if (values.help) return 'help';
  if (values.list) return 'list';
  const words = values.rows?.split(',');
  if (words?.includes('')) return { problem: '--rows takes words with a comma between them' };
  const unmatched = words?.find((word) => !rowNames.some((name) => name.includes(word)));
  if (unmatched !== undefined) {
    return { problem: `no row has ${unmatched} in its name; there are ${rowNames.join(', ')}` };
  }
  return { values, words };
}

/** A whole number from 1 to the maximum. */
export function readCount(text: string | undefined, max: number): number | undefined | 'bad' {
  if (text === undefined) return undefined;
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= max ? value : 'bad';
}
