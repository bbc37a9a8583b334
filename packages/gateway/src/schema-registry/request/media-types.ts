import { bodyTypeOf, HttpProblem, preferredType } from '@weir/http';

/** Types of answers, the preferred one first. */
export const answerTypes = [
  'application/vnd.schemaregistry.v1+json',
  'application/vnd.schemaregistry+json',
  'application/json',
] as const;
export type AnswerType = (typeof answerTypes)[number];

/** Types of bodies. Without a type a body counts as bytes, which are read as JSON. */
export const bodyTypes = [...answerTypes, 'application/octet-stream'] as const;

/** Returns the type of the answer that a client prefers. */
export function answerTypeFor(accept: string | undefined): AnswerType {
  return preferredType(answerTypes, accept);
}

export function requireBodyType(contentType: string | undefined): void {
  const type = bodyTypeOf(contentType);
  if (type === undefined || (bodyTypes as readonly string[]).includes(type)) return;
  throw new HttpProblem(415, `Send the body as ${answerTypes[0]} or application/json.`);
}
