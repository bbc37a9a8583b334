import { useMemo, useSyncExternalStore } from 'react';
import { pathOfField } from './record-fields.ts';

/** Columns that every topic has, in their usual order. Others are fields: `value.total`. */
export const usualColumns = ['time', 'place', 'key', 'value', 'size'] as const;
export type UsualColumn = (typeof usualColumns)[number];

export const isUsual = (column: string): column is UsualColumn =>
  usualColumns.some((name) => name === column);

const columnsMax = 30;
const topicsMax = 100;
const nameCharsMax = 500;

type Choices = readonly (readonly [topic: string, columns: readonly string[]])[];

/** What is stored may be of another release or of a person who changed it. */
export function readChoices(text: string | null): Choices {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return list.slice(0, topicsMax).flatMap((entry): Choices => {
      const [topic, columns] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (typeof topic !== 'string' || !Array.isArray(columns)) return [];
      const kept = columns.filter(isColumn).slice(0, columnsMax);
      return kept.length === 0 ? [] : [[topic, [...new Set(kept)]]];
    });
  } catch {
    return [];
  }
}

function isColumn(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= nameCharsMax &&
    (isUsual(value) || pathOfField(value) !== undefined)
  );
}

/** The choices with that of one topic, which comes first; the usual columns are no choice. */
export function withChoice(choices: Choices, topic: string, columns: readonly string[]): Choices {
  const others = choices.filter(([name]) => name !== topic);
  if (columns.join('\n') === usualColumns.join('\n')) return others;
  return [[topic, columns.slice(0, columnsMax)] as const, ...others].slice(0, topicsMax);
}

const storageKey = (clusterId: string) => `weir.message-columns.${clusterId}`;
const changes = new EventTarget();
const subscribe = (onChange: () => void) => {
  changes.addEventListener('change', onChange);
  return () => changes.removeEventListener('change', onChange);
};

/** The columns of a topic, which the browser remembers: they are about a person and not about a page. */
export function useColumnChoice(clusterId: string, topic: string) {
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(storageKey(clusterId)));
  const columns = useMemo(
    () => readChoices(stored).find(([name]) => name === topic)?.[1] ?? usualColumns,
    [stored, topic],
  );
  const choose = (next: readonly string[]) => {
    const choices = withChoice(readChoices(localStorage.getItem(storageKey(clusterId))), topic, next);
    localStorage.setItem(storageKey(clusterId), JSON.stringify(choices));
    changes.dispatchEvent(new Event('change'));
  };
  return { columns, choose };
}

/** Moves a column to an earlier or a later place. */
export function moved(columns: readonly string[], column: string, by: -1 | 1): readonly string[] {
  const at = columns.indexOf(column);
  const to = at + by;
  if (at === -1 || to < 0 || to >= columns.length) return columns;
  const rest = columns.toSpliced(at, 1);
  return rest.toSpliced(to, 0, column);
}
