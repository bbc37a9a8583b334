interface ReadAheadOptions<Item> {
  /** Reads that are under way at a time. */
  readonly countMax: number;
  /** What they may hold together; one may be larger. */
  readonly bytesMax: number;
  readonly bytesOf: (item: Item) => number;
}

interface ReadItem<Item, Content> {
  readonly item: Item;
  readonly content: Content;
}

/**
 * Reads what a list names, some ahead, and gives it in the order of the list. Whoever stops taking stops reading, and what fails fails where it would
 * have been given.
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
        // It is told when its turn comes.
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
