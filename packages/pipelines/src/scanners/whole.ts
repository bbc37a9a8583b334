import { pipelineLimits } from '../limits.ts';

/** All bytes of a source, up to a limit. */
export async function wholeOf(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let count = 0;
  for await (const chunk of source) {
    count += chunk.length;
    if (count > pipelineLimits.scannedMessageBytesMax)
      throw new Error(
        `it has more than ${pipelineLimits.scannedMessageBytesMax} bytes; use a scanner that cuts it into messages`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
