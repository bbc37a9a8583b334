import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

/** What cannot be made true is refused: an operator would believe that agents without access to the bucket work. */
function checkTableMetadata({
  tableflowMetadataSyncMode: mode,
}: Pick<FlagValues, 'tableflowMetadataSyncMode'>): Violation | undefined {
  if (mode !== 'proxy') return undefined;
  const rule =
    'not available in this release; use direct: tables are written into their bucket by agents with access to it';
  return forbidden(['tableflowMetadataSyncMode'], rule).problem;
}

export const tableMetadataRule: Rule = {
  statement: 'Agents write the metadata of tables directly: -tableflowMetadataSyncMode proxy is refused.',
  flags: ['tableflowMetadataSyncMode'],
  commands: ['agent'],
  check: checkTableMetadata,
};
