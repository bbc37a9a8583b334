import { pathToFileURL } from 'node:url';
import { bucketPlace } from '@weir/storage';

/** The URI of a bucket with its prefix, as other programs write it. Paths of files of tables begin with it. */
export function tableRoot(bucketUrl: string): string {
  const { scheme, server, bucket, folder } = bucketPlace(bucketUrl);
  const below = folder === '' ? '' : `/${folder}`;
  if (scheme === 'file') return `${pathToFileURL(bucket).href}${below}`;
  const account = scheme === 'azblob' ? /^https:\/\/([^./]+)\.blob\.(.+)$/.exec(server) : null;
  if (account !== null) return `abfss://${bucket}@${account[1]}.dfs.${account[2]}${below}`;
  // Of the other schemes no program but this one reads files.
  return `${scheme}://${bucket === '' ? 'buckets' : bucket}${below}`;
}
