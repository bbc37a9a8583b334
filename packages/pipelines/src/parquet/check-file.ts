import type { FileMetaData, SchemaTree } from 'hyparquet';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { pipelineLimits } from '../limits.ts';

const { parquetFooterBytesMax, parquetElementsMax, parquetDepthMax, parquetValuesMax } = pipelineLimits;

/** What the header of a page says, by the numbers of fields. */
interface PageHeader {
  readonly field_2?: number;
  readonly field_3?: number;
  readonly field_5?: { readonly field_1?: number };
  readonly field_7?: { readonly field_1?: number };
  readonly field_8?: { readonly field_1?: number };
}

/** Throws if the end of a file is none of Parquet, or its footer is too long to be parsed. */
export function checkFooter(end: Buffer): void {
  if (end.length < 12 || end.subarray(-4).toString('latin1') !== 'PAR1')
    throw new Error('this is no Parquet file');
  if (end.readUInt32LE(end.length - 8) > parquetFooterBytesMax)
    throw new Error(`the footer of the Parquet file has more than ${parquetFooterBytesMax} bytes`);
}

/** Throws if the schema has too many elements, or is too deep. */
export function checkSchema(tree: SchemaTree, depth = 0): void {
  if (tree.count > parquetElementsMax)
    throw new Error(`the schema of the Parquet file has more than ${parquetElementsMax} elements`);
  if (depth > parquetDepthMax) throw new Error('the schema of the Parquet file is nested too deeply');
  for (const child of tree.children) checkSchema(child, depth + 1);
}

/** Throws if pages would become more than a message may. Their headers are read, and not what is in them. */
export function checkPages(file: Buffer, { row_groups: groups }: FileMetaData): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let bytes = 0;
  let values = 0;
  for (const { columns } of groups)
    for (const { meta_data: column } of columns) {
      if (column === undefined) throw new Error('the Parquet file has a column without metadata');
      const data = Number(column.data_page_offset);
      const dictionary = Number(column.dictionary_page_offset ?? 0);
      const start = dictionary > 0 ? Math.min(dictionary, data) : data;
      const end = start + Number(column.total_compressed_size);
      if (!(start >= 0 && end <= file.length)) throw new Error('a column is outside of the Parquet file');
      for (const reader = { view, offset: start }; reader.offset < end; ) {
        const header = deserializeTCompactProtocol(reader) as PageHeader;
        const { field_2: size = -1, field_3: compressed = -1 } = header;
        const count = (header.field_5 ?? header.field_7 ?? header.field_8)?.field_1 ?? 0;
        if (size < 0 || compressed < 0 || count < 0) throw new Error('the Parquet file has an invalid page');
        reader.offset += compressed;
        bytes += size;
        values += count;
        if (bytes > pipelineLimits.expandedBytesMax)
          throw new Error(`the Parquet file has more than ${pipelineLimits.expandedBytesMax} bytes in it`);
        if (values > parquetValuesMax)
          throw new Error(`the Parquet file has more than ${parquetValuesMax} values in it`);
      }
    }
}
