import { registryLimits } from '@weir/registry';

interface Page {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/**
 * Returns a page of the items that the caller may see. Pages are counted without the others, so that a client that
 * pages meets every visible item once.
 */
export async function visiblePage<Item>(
  { offset = 0, limit = -1 }: Page,
  isVisible: ((item: Item) => boolean) | undefined,
  read: (page: Page) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  if (isVisible === undefined) return await read({ offset, limit });
  const end = limit < 0 ? Number.POSITIVE_INFINITY : Math.max(0, offset) + limit;
  const visible: Item[] = [];
  for (let at = 0; visible.length < end; ) {
    const items = await read({ offset: at, limit: registryLimits.listedSchemasMax });
    visible.push(...items.filter(isVisible));
    at += items.length;
    if (items.length < registryLimits.listedSchemasMax) break;
  }
  return visible.slice(Math.max(0, offset), end);
}
