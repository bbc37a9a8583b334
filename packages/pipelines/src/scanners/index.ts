import type { ComponentSpec } from '../component/component-spec.ts';
import { avro } from './avro.ts';
import { chunker } from './chunker.ts';
import { csv } from './csv.ts';
import { decompress } from './decompress.ts';
import { jsonDocuments } from './json-documents.ts';
import { lines } from './lines.ts';
import { reMatch } from './re-match.ts';
import { skipBom } from './skip-bom.ts';
import { switchScanner } from './switch.ts';
import { tar } from './tar.ts';
import { toTheEnd } from './to-the-end.ts';
import { xmlDocuments } from './xml-documents.ts';

export const scanners: readonly ComponentSpec[] = [
  avro,
  chunker,
  csv,
  decompress,
  jsonDocuments,
  lines,
  reMatch,
  skipBom,
  switchScanner,
  tar,
  toTheEnd,
  xmlDocuments,
];
