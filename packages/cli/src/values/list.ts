import type { ValueType } from './value-type.ts';

interface ListOptions {
  readonly separator?: string;
  /** Whether blanks around an item are dropped. Record values keep theirs. */
  readonly trim?: boolean;
}

/** Several values of one kind. The empty text is the empty list. */
export function list<Item>(
  item: ValueType<Item>,
  { separator = ',', trim = true }: ListOptions = {},
): ValueType<readonly Item[]> {
  return {
    label: `list of ${item.label}`,
    item,
    allowed: item.allowed,
    empty: [],
    parse(text) {
      if (text === '') return { value: [] };
      const items: Item[] = [];
      for (const [index, part] of text.split(separator).entries()) {
        const itemText = trim ? part.trim() : part;
        if (itemText === '') return { problem: `item ${index + 1} is empty` };
        const parsed = item.parse(itemText);
        if ('problem' in parsed) return { problem: `item ${index + 1}: ${parsed.problem}` };
        items.push(parsed.value);
      }
      return { value: items };
    },
    print: (items) => items.map((value) => item.print(value)).join(separator),
    ...(item.conceal === undefined ? {} : { conceal: item.conceal }),
  };
}
