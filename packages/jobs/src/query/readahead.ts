interface ReadAheadOptions<Item> {
  /** Reads in flight at a time. */
  readonly countMax: number;
  /** Bytes that they may hold together; a single one may be larger. */
  readonly bytesMax: number;
  readonly bytesOf: (item: Item) => number;
}

interface ReadItem<Item, Content> {
  readonly item: Item;
  readonly content: Content;
}

/**
 * Reads the items of a list, some ahead, and yields them in order. If the consumer stops, no more items are read. An
 * error is thrown in the place of its item.
 */
export async function* readAhead<Item, Content>(
  items: AsyncIterable<Item>,
  read: (item: Item) => Promise<Content>,
  { countMax, bytesMax, bytesOf }: ReadAheadOptions<Item>,
): AsyncGenerator<ReadItem<Item, Content>, void, undefined> {
  const ahead: { readonly item: Item; readonly content: Promise<Content> }[] = [];
  const rest = items[Symbol.asyncIterator]();
  let aheadBytes = 0;
  let hasMore = true;
  try {
    for (;;) {
      while (hasMore && ahead.length < countMax && (aheadBytes < bytesMax || ahead.length === 0)) {
        const next = await rest.next();
        if (next.done === true) {
          hasMore = false;
          break;
        }
        const content = read(next.value);
        // The error is thrown when the item is yielded.
        content.catch(() => undefined);
        ahead.push({ item: next.value, content });
        aheadBytes += bytesOf(next.value);
      }
      const first = ahead.shift();
      if (first === undefined) return;
      aheadBytes -= bytesOf(first.item);
      yield { item: first.item, content: await first.content };
    }
  } finally {
    await rest.return?.();
  }
}
