import {
  buildRecordBatch,
  type CompressionCodec,
  encodeRecordHeader,
  HeaderRewriter,
  RecordBatchView,
  validateBatchRecords,
  validateProducedBatch,
} from '@weir/wire';
import { type Benchmark, ms, type Row } from './benchmark.ts';
import { type Effort, sideBySide } from './side-by-side.ts';

const recordCount = 1024;
const codecs: readonly CompressionCodec[] = ['none', 'lz4', 'zstd', 'gzip'];

/** Cost of adding a principal header to every record: the batch is decompressed, rewritten and compressed again. */
export const headerRewrite: Benchmark = {
  name: 'header-rewrite',
  async run(effort) {
    const rows: Row[] = [];
    for (const codec of codecs) rows.push(await measure(codec, effort));
    return rows;
  },
};

async function measure(codec: CompressionCodec, effort: Effort): Promise<Row> {
  const batch = batchOf(codec);
  const outcome = await sideBySide(
    { name: 'with the header', run: () => rewrite(checked(batch)) },
    { name: 'as it is', run: () => void checked(batch) },
    effort,
  );
  return {
    what: `take a ${codec} batch of 1 MiB and add a header to its ${recordCount} records / take it as it is`,
    result: 1 / outcome.referenceOverSubject,
    unit: 'x',
    detail: `${ms(outcome.subjectMs)} / ${ms(outcome.referenceMs)}`,
  };
}

/** Builds log lines, which compress partly. */
function batchOf(codec: CompressionCodec): Buffer {
  const line = (index: number, at: number) =>
    `${(index * 7919 + at * 104_729) % 1_000_003} GET /item/${at} 200\n`;
  const records = Array.from({ length: recordCount }, (_, index) => {
    const text = Array.from({ length: 40 }, (_, at) => line(index, at)).join('');
    return { timestamp: 1n, key: null, value: Buffer.from(text).subarray(0, 1024) };
  });
  return buildRecordBatch(records, { codec });
}

function checked(batch: Buffer): RecordBatchView {
  const validation = validateProducedBatch(batch, { allowsZstd: true });
  if (!validation.ok) throw new Error(validation.message);
  return validation.batch;
}

function rewrite(batch: RecordBatchView): void {
  const removedKeys = [Buffer.from('principal')];
  const added = encodeRecordHeader('principal', 'alice');
  let rewriter: HeaderRewriter | undefined;
  const summary = validateBatchRecords(batch, {
    visit(record) {
      rewriter ??= new HeaderRewriter(batch, {
        recordsBytes: record.totalBytes,
        addedBytes: added.length,
        recordsBytesMax: 1 << 28,
      });
      rewriter.append(record, { removedKeys, added });
      return undefined;
    },
  });
  if (!summary.ok) throw new Error(summary.message);
  const rewritten = new RecordBatchView(rewriter!.finish());
  if (rewritten.recordCount !== recordCount) throw new Error('records were lost');
}
