import type { Target } from '@weir/http';
import { contextOfPath, subjectIn } from '@weir/registry';

/**
 * Rewrites a path below `/contexts/{context}/` to the one that it stands for: the subject is qualified by the context,
 * in the path or else in the query; `/config` and `/mode` are those of the context. A subject that names a context
 * itself keeps it. Other paths are returned as they are.
 */
export function withoutContextPath(target: Target): Target {
  const [root, contextName, ...rest] = target.segments;
  if (root !== 'contexts' || contextName === undefined || rest.length === 0) return target;
  const context = contextOfPath(contextName);
  const query = new URLSearchParams(target.query);
  const qualifyQuery = (name: string) => {
    const subject = query.get(name) ?? '';
    const isQualified = subject.startsWith(':.') || subject.startsWith(':*:');
    query.set(name, isQualified ? subject : `:${context}:${subject}`);
  };
  const segments = [...rest];
  const qualifySegment = (at: number) => {
    if (at < segments.length) segments[at] = subjectIn(context, segments[at]!);
  };
  switch (rest[0]) {
    case 'config':
    case 'mode': {
      const scope = subjectIn(context, rest[1] ?? '');
      // The default context has the config and mode of the top level.
      segments.splice(1, 1, ...(scope === '' ? [] : [scope]));
      break;
    }
    case 'subjects':
      qualifySegment(1);
      if (rest.length === 1) qualifyQuery('subjectPrefix');
      break;
    case 'compatibility':
      if (rest[1] === 'subjects') qualifySegment(2);
      break;
    case 'associations':
      if (rest[1] === 'subjects') qualifySegment(2);
      if (rest.length === 1 || rest[1] === 'resources') query.set('context', context);
      break;
    case 'associations:batchMutate':
      query.set('context', context);
      break;
    case 'schemas':
      qualifyQuery(rest.length === 1 ? 'subjectPrefix' : 'subject');
      break;
    case 'dek-registry':
      if (rest[4] === 'deks') qualifySegment(5);
      break;
  }
  return { segments, query };
}
