import { concealUrls } from './conceal.ts';
import type { ValueType } from './value-type.ts';

/** Supported stores. The two SQL schemes and the two local ones are for small or short-lived clusters. */
const schemes = ['s3', 'gs', 'azblob', 'file', 'mem', 'postgres', 'postgresql', 'sqlite'] as const;
export type BucketScheme = (typeof schemes)[number];

export interface Bucket {
  readonly scheme: BucketScheme;
  /** The URL as it was written. */
  readonly url: string;
  /** The folder in the bucket that contains every object; empty for the whole bucket. */
  readonly prefix: string;
}

/** One bucket, or several behind a wrapper that replicates (`multi`) or distributes (`stripe`) the objects. */
export interface BucketUrl {
  readonly wrapper: 'none' | 'multi' | 'stripe';
  readonly buckets: readonly Bucket[];
}

/** Separates the sub-buckets of a wrapper. */
const subBucketSeparator = '<>';

/** How many sub-buckets a wrapper takes. The contract limits only `stripe`; `multi` has the same limit. */
const subBuckets = { min: 2, max: 32 } as const;

const allowed = `${schemes.map((scheme) => `${scheme}://`).join(', ')}, service_multi://, service_stripe://`;

const syntax =
  '`s3://bucket?region=eu-west-1&prefix=folder`, `gs://bucket`, `azblob://container`, `file:///directory`, `mem://name`, ' +
  '`postgres://user:password@host/database`, `sqlite:///path.db`; ' +
  `${subBuckets.min} to ${subBuckets.max} of them as \`service_multi://s3://a${subBucketSeparator}s3://b\` or ` +
  `\`service_stripe://s3://a${subBucketSeparator}s3://b\``;

export function bucketUrl(): ValueType<BucketUrl> {
  return {
    label: 'bucket URL',
    syntax,
    allowed,
    parse(text) {
      const trimmed = text.trim();
      const wrapped = /^service_(multi|stripe):\/\/(.*)$/s.exec(trimmed);
      const wrapper = (wrapped?.[1] ?? 'none') as BucketUrl['wrapper'];
      const urls = wrapper === 'none' ? [trimmed] : wrapped![2]!.split(subBucketSeparator);
      if (wrapper !== 'none' && (urls.length < subBuckets.min || urls.length > subBuckets.max)) {
        const count = `${subBuckets.min} to ${subBuckets.max} buckets separated by ${subBucketSeparator}`;
        return { problem: `service_${wrapper}:// takes ${count}` };
      }
      const buckets: Bucket[] = [];
      for (const [index, url] of urls.entries()) {
        const bucket = readBucket(url.trim());
        if (typeof bucket === 'string') {
          return { problem: wrapper === 'none' ? bucket : `bucket ${index + 1}: ${bucket}` };
        }
        if (buckets.some(({ url }) => url === bucket.url)) {
          return { problem: `bucket ${index + 1} is listed twice` };
        }
        buckets.push(bucket);
      }
      return { value: { wrapper, buckets } };
    },
    print({ wrapper, buckets }) {
      const urls = buckets.map(({ url }) => url).join(subBucketSeparator);
      return wrapper === 'none' ? urls : `service_${wrapper}://${urls}`;
    },
    conceal: concealUrls,
  };
}

/** The bucket, or the problem of the URL. */
function readBucket(url: string): Bucket | string {
  if (/^service_(?:multi|stripe):/.test(url))
    return 'service_multi:// and service_stripe:// cannot be nested';
  const scheme = schemes.find((scheme) => url.startsWith(`${scheme}://`));
  if (scheme === undefined) return `one of ${allowed} is needed`;
  if (!URL.canParse(url) || /\s/.test(url)) return 'a well-formed URL is needed';
  const { host, pathname, searchParams } = new URL(url);
  // A bucket on disk is identified by its directory, every other one by its host.
  const isOnDisk = scheme === 'file' || scheme === 'sqlite';
  if (isOnDisk ? host !== '' || pathname.length < 2 : host === '') {
    return isOnDisk ? `${scheme}:/// and an absolute path is needed` : `${scheme}:// and a name is needed`;
  }
  const prefixes = searchParams.getAll('prefix');
  const prefix = prefixes[0] ?? '';
  if (prefixes.length > 1) return 'one prefix is allowed';
  if (prefix.startsWith('/') || prefix.split('/').includes('..')) {
    return 'a prefix must not start with a slash or contain ..';
  }
  return { scheme, url, prefix };
}
