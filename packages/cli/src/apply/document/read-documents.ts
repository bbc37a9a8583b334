import { type SchemaProblem, schemaProblems, withSubject } from '@weir/api';
import type { Outcome } from '../../outcome.ts';
import type { DesiredCluster } from '../desired.ts';
import { acceptedParts } from './accepted-parts.ts';
import { desiredCluster } from './desired-cluster.ts';
import { joinClusters } from './join-clusters.ts';
import { type DocumentProblem, inReadingOrder } from './problem.ts';
import { documentSchema, virtualClusterSchema, type WrittenParts } from './schema.ts';
import { readYaml, type YamlDocument } from './yaml-documents.ts';

/** A file that was read. */
export interface DocumentSource {
  /** The name to use in problems. */
  readonly fileName: string;
  /** File names in the document are relative to this folder. */
  readonly folder: string;
  readonly text: string;
}

/** What several files ask for together, or all problems of all of them. */
export function readDocuments(
  sources: readonly DocumentSource[],
): Outcome<readonly DesiredCluster[], readonly DocumentProblem[]> {
  const problems: DocumentProblem[] = [];
  const clusters: DesiredCluster[] = [];
  for (const { fileName, folder, text } of sources) {
    const file = readYaml(fileName, text);
    const own: DocumentProblem[] = [...file.problems];
    if (file.documents.length === 0 && own.length === 0)
      own.push({ place: `${fileName}:1:1`, message: 'has no document; start one with version: 1' });
    for (const document of file.documents)
      clusters.push(...clustersOf(document, folder, (problem) => own.push(problem)));
    problems.push(...inReadingOrder(own));
  }
  const joined = joinClusters(clusters, (problem) => problems.push(problem));
  return problems.length === 0 ? { value: joined } : { problem: problems };
}

function clustersOf(
  document: YamlDocument,
  folder: string,
  report: (problem: DocumentProblem) => void,
): DesiredCluster[] {
  const found = documentSchema.safeParse(document.value);
  if (!found.success)
    for (const problem of schemaProblems(documentSchema, found.error.issues, document.valueAt))
      report(locatedProblem(problem, document));
  // The accepted parts are checked further even so, so that all problems are reported at once.
  const written = found.success ? found.data.virtual_clusters : acceptedClusters(document.value);
  return written.flatMap((parts, index) => {
    const context = { document, path: ['virtual_clusters', index], folder, report };
    return parts === undefined ? [] : [desiredCluster(parts, context)];
  });
}

function acceptedClusters(value: unknown): readonly (WrittenParts | undefined)[] {
  const { virtual_clusters: clusters } = Object(value) as { readonly virtual_clusters?: unknown };
  if (!Array.isArray(clusters)) return [];
  return clusters.map((cluster) => acceptedParts(virtualClusterSchema, cluster) as WrittenParts | undefined);
}

/** Locates a problem that a schema found in a document. */
function locatedProblem(
  { path, unknownField, rule }: SchemaProblem,
  document: YamlDocument,
): DocumentProblem {
  if (unknownField !== undefined) {
    const whole = [...path, unknownField];
    return { place: document.placeOfKey(whole), message: withSubject(whole, `unknown field; ${rule}`) };
  }
  // An empty value has no position of its own.
  const isEmpty = document.valueAt(path) === null;
  return {
    place: isEmpty ? document.placeOfKey(path) : document.placeOf(path),
    message: withSubject(path, rule),
  };
}
