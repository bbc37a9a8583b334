/**
 * One spelling for the URIs of a file, for comparisons: programs of the Hadoop family write `s3a://` for `s3://` and
 * `file:/` for `file:///`, and all of them may write into one table.
 */
export function commonUri(uri: string): string {
  return uri.replace(/^s3[an]:\/\//, 's3://').replace(/^file:\/+/, 'file:///');
}
