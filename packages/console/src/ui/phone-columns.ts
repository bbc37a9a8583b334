/** Which columns of a table a narrow screen shows. */

interface SizedColumn {
  /** Width in the grid: `minmax(12rem, 2fr)`, `8rem`. */
  readonly width: string;
  /** The smaller, the later it is left out; without it the place in the table counts, ten for each. */
  readonly priority?: number | undefined;
}

interface Room {
  readonly widthPx: number;
  readonly remPx: number;
  readonly hasSelection: boolean;
}

/** Wider tables show all their columns and scroll sideways if they have to. */
export const narrowPx = 640;
const selectionRem = 2.5;
/** The most important column shrinks to this rather than to push out the others. */
const firstRem = 8;

/** The columns that fit, in their order, with their widths; `undefined` if all are shown as they are. */
export function fittingColumns<Column extends SizedColumn>(
  columns: readonly Column[],
  { widthPx, remPx, hasSelection }: Room,
): readonly Column[] | undefined {
  if (widthPx === 0 || widthPx >= narrowPx) return undefined;
  const roomRem = widthPx / remPx - (hasSelection ? selectionRem : 0);
  if (columns.reduce((sum, column) => sum + leastRem(column), 0) <= roomRem) return undefined;
  const byPriority = columns
    .map((column, index) => ({ column, priority: column.priority ?? index * 10 }))
    .sort((a, b) => a.priority - b.priority)
    .map(({ column }) => column);
  const [first] = byPriority;
  const kept = new Set<Column>();
  let usedRem = 0;
  for (const column of byPriority) {
    const wantedRem = column === first ? Math.min(leastRem(column), firstRem) : leastRem(column);
    if (kept.size > 0 && usedRem + wantedRem > roomRem) continue;
    kept.add(column);
    usedRem += wantedRem;
  }
  return columns
    .filter((column) => kept.has(column))
    .map((column) => ({ ...column, width: widthOf(column, column === first) }));
}

/** What a column is at least wide, by its width in the grid. */
function leastRem({ width }: SizedColumn): number {
  const found = /([\d.]+)rem/.exec(width);
  return found === null ? firstRem : Number(found[1]);
}

function widthOf(column: SizedColumn, isFirst: boolean): string {
  return isFirst ? `minmax(${Math.min(leastRem(column), firstRem)}rem, 1fr)` : column.width;
}
