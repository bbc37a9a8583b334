import type { ValueType } from './value-type.ts';

interface ListOptions {
  readonly separator?: string;
  /** Whether spaces around an item are dropped. Record values retain theirs. */
  readonly trim?: boolean;
  /**
   * The prefix of every item. A separator that no such prefix follows belongs to the item, as the commas of a
   * distinguished name do.
   */
  readonly itemsBegin?: string;
}

/** Several values of one type. The empty text is the empty list. */
export function list<Item>(
  item: ValueType<Item>,
  { separator = ',', trim = true, itemsBegin = '' }: ListOptions = {},
): ValueType<readonly Item[]> {
  return {
    label: `list of ${item.label}`,
    item,
    separator,
    allowed: item.allowed,
    empty: [],
    parse(text) {
      if (text === '') return { value: [] };
      const items: Item[] = [];
      for (const [index, part] of partsOf(text, separator, itemsBegin).entries()) {
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

function partsOf(text: string, separator: string, itemsBegin: string): string[] {
  const parts: string[] = [];
  for (const part of text.split(separator)) {
    const isPartOfItem = parts.length > 0 && part.trim() !== '' && !part.trim().startsWith(itemsBegin);
    if (isPartOfItem) parts.push(`${parts.pop()}${separator}${part}`);
    else parts.push(part);
  }
  return parts;
}
