/**
 * Parsers of SCRAM client messages (RFC 5802, section 7). They are strict: anything outside the grammar is a named
 * problem.
 */

export interface ClientFirst {
  /** `n,,` or `y,,`, optionally with an authorization id; the final message must repeat it. */
  readonly gs2Header: string;
  /** The rest of the message, which both sides sign. */
  readonly bare: string;
  readonly user: string;
  readonly nonce: string;
  /** The user is the id of a delegation token, and the password its HMAC. */
  readonly isToken: boolean;
}

interface ClientFinal {
  /** The signed part of the message: all but the proof. */
  readonly withoutProof: string;
  readonly channelBinding: string;
  readonly nonce: string;
  readonly proof: Buffer;
}

export interface Problem {
  readonly problem: string;
}

export function readClientFirst(text: string): ClientFirst | Problem {
  const [flag = '', actAs = ''] = text.split(',', 2);
  if (flag.startsWith('p=')) return { problem: 'channel binding is not supported' };
  if (flag !== 'n' && flag !== 'y') return { problem: 'message does not start with n, or y,' };
  const headerLength = flag.length + actAs.length + 2;
  if (text[headerLength - 1] !== ',') return { problem: 'message has no header' };
  const gs2Header = text.slice(0, headerLength);
  const bare = text.slice(headerLength);
  const [first = '', second = '', ...extensions] = bare.split(',');
  if (first.startsWith('m=')) return { problem: 'message requires an unknown extension' };
  if (!first.startsWith('n=') || !second.startsWith('r='))
    return { problem: 'user name or nonce is missing' };
  const user = readName(first.slice(2));
  if (user === undefined || user === '') return { problem: 'user name is empty or wrongly escaped' };
  const nonce = second.slice(2);
  if (!noncePattern.test(nonce)) return { problem: 'nonce is empty or has invalid characters' };
  const problem = problemOfIdentity(actAs, user) ?? problemOfExtensions(extensions);
  if (problem !== undefined) return { problem };
  const isToken = extensions.some((extension) => tokenExtension.test(extension));
  return { gs2Header, bare, user, nonce, isToken };
}

export function readClientFinal(text: string): ClientFinal | Problem {
  const proofAt = text.lastIndexOf(',p=');
  if (proofAt < 0) return { problem: 'proof is missing' };
  const withoutProof = text.slice(0, proofAt);
  const [binding = '', nonce = '', ...extensions] = withoutProof.split(',');
  if (!binding.startsWith('c=') || !nonce.startsWith('r=')) {
    return { problem: 'channel binding or nonce is missing' };
  }
  const proof = readBase64(text.slice(proofAt + 3));
  if (proof === undefined) return { problem: 'proof is not base64' };
  const problem = problemOfExtensions(extensions);
  if (problem !== undefined) return { problem };
  return { withoutProof, channelBinding: binding.slice(2), nonce: nonce.slice(2), proof };
}

/** All printable ASCII characters except the comma. */
const noncePattern = /^[\x21-\x2b\x2d-\x7e]+$/;

function problemOfIdentity(actAs: string, user: string): string | undefined {
  if (actAs === '') return undefined;
  return actAs.startsWith('a=') && readName(actAs.slice(2)) === user
    ? undefined
    : 'authorization as another user is not allowed';
}

/** Sent in the first message by clients that log in with a delegation token (KIP-48). */
const tokenExtension = /^tokenauth=true$/i;

/** Unknown extensions are ignored. */
function problemOfExtensions(extensions: readonly string[]): string | undefined {
  for (const extension of extensions) {
    if (!/^[A-Za-z]+=/.test(extension)) return 'extension is not name=value';
  }
  return undefined;
}

/** Decodes `=2C` (comma) and `=3D` (equals sign); nothing else is escaped. */
function readName(text: string): string | undefined {
  if (/=(?!2C|3D)/.test(text) || text.includes('\0')) return undefined;
  return text.replaceAll('=2C', ',').replaceAll('=3D', '=');
}

/** Decodes base64 strictly, with its padding; Node accepts more. */
function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
