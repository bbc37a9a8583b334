import { compareKeys } from '../store/key.ts';
import type { ObjectInfo } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { elementsOf, textOf, unescapeXml } from '../store-http/xml.ts';

/** One answer of List Blobs. */
interface BlobPage {
  readonly blobs: readonly ObjectInfo[];
  /** Where the next page begins; absent after the last. */
  readonly nextMarker: string | undefined;
}

export function parseBlobPage(xml: string): BlobPage {
  const blobs: ObjectInfo[] = [];
  for (const blob of elementsOf(xml, 'Blob')) {
    // Accounts with a hierarchical namespace list directories too.
    if (textOf(blob, 'ResourceType') === 'directory') continue;
    blobs.push({
      key: nameOf(blob),
      bytes: Number(textOf(blob, 'Content-Length')),
      modifiedMs: Date.parse(textOf(blob, 'Last-Modified')) || 0,
    });
  }
  return { blobs, nextMarker: textOf(xml, 'NextMarker') || undefined };
}

/** A name with characters that XML cannot carry is percent-encoded, and says so. */
function nameOf(blob: string): string {
  const [, attributes = '', text = ''] = /<Name([^<>]*)>([^<]*)<\/Name>/.exec(blob) ?? [];
  const name = unescapeXml(text);
  if (!attributes.includes('Encoded="true"')) return name;
  try {
    return decodeURIComponent(name);
  } catch (error) {
    throw new StoreError('unavailable', 'list of blobs', 'a name is not encoded as it says', {
      cause: error,
    });
  }
}

/**
 * The blobs of a page in the order of their keys. The service documents an alphabetical order, which is that of bytes
 * for all characters below U+D800. `last` is the last key of the page before: what would belong before it is an error,
 * because callers continue behind the last key that they saw.
 */
export function inKeyOrder(
  blobs: readonly ObjectInfo[],
  last: string | undefined,
  subject: string,
): readonly ObjectInfo[] {
  const isSorted = blobs.every(
    ({ key }, index) => index === 0 || compareKeys(blobs[index - 1]!.key, key) < 0,
  );
  const sorted = isSorted ? blobs : blobs.toSorted((a, b) => compareKeys(a.key, b.key));
  if (last !== undefined && sorted.length > 0 && compareKeys(sorted[0]!.key, last) <= 0) {
    throw new StoreError(
      'invalid',
      subject,
      'the account lists names in another order than that of their bytes, as those with a hierarchical namespace do',
    );
  }
  return sorted;
}
