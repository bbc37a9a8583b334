import { createHmac, createPrivateKey, createPublicKey, sign, timingSafeEqual, verify } from 'node:crypto';
import { getString } from '../go/coerce.ts';
import { type MethodSpec, param } from '../runtime/spec.ts';
import { fail, wrongType } from '../values/mapping-error.ts';
import { parseJson } from '../values/parse-json.ts';
import { printJson } from '../values/print-json.ts';
import { isObject } from '../values/value.ts';

const category = 'JSON Web Tokens';

/** How tokens of an algorithm are signed and verified. */
interface Signer {
  sign(text: string, secret: string): Buffer;
  isValid(text: string, signature: Buffer, secret: string): boolean;
}

function hmacSigner(hash: string): Signer {
  const mac = (text: string, secret: string) => createHmac(hash, secret).update(text).digest();
  return {
    sign: mac,
    isValid(text, signature, secret) {
      const wanted = mac(text, secret);
      return wanted.length === signature.length && timingSafeEqual(wanted, signature);
    },
  };
}

/** RSA, or elliptic curves, whose signatures are two numbers one after the other. */
function keySigner(hash: string, type: 'rsa' | 'ec'): Signer {
  const encoding = type === 'ec' ? ({ dsaEncoding: 'ieee-p1363' } as const) : {};
  return {
    sign: (text, secret) => sign(hash, Buffer.from(text), { key: createPrivateKey(secret), ...encoding }),
    isValid: (text, signature, secret) =>
      verify(hash, Buffer.from(text), { key: createPublicKey(secret), ...encoding }, signature),
  };
}

const signers: Readonly<Record<string, Signer>> = Object.fromEntries(
  ['256', '384', '512'].flatMap((bits): [string, Signer][] => [
    [`hs${bits}`, hmacSigner(`sha${bits}`)],
    [`rs${bits}`, keySigner(`sha${bits}`, 'rsa')],
    [`es${bits}`, keySigner(`sha${bits}`, 'ec')],
  ]),
);

const encoded = (text: string): string => Buffer.from(text).toString('base64url');

function signMethod(name: string, signer: Signer): NonNullable<MethodSpec['make']> {
  const header = encoded(`{"alg":"${name.toUpperCase()}","typ":"JWT"}`);
  return (args) => {
    const secret = args.string('signing_secret');
    return (value, frame) => {
      if (!isObject(value)) throw wrongType(value, 'object');
      const text = `${header}.${encoded(printJson(value, { escapesHtml: true }))}`;
      frame.run.budget.build(text.length);
      try {
        return `${text}.${signer.sign(text, secret).toString('base64url')}`;
      } catch {
        return fail('failed to sign token: the secret is not a key of that algorithm');
      }
    };
  };
}

function parseMethod(name: string, signer: Signer): NonNullable<MethodSpec['make']> {
  const refuse = (why: string): never => fail(`failed to parse JWT string: ${why}`);
  return (args) => {
    const secret = args.string('signing_secret');
    return (value, frame) => {
      const [head = '', body = '', signature, ...rest] = getString(value).split('.');
      if (signature === undefined || rest.length > 0)
        return refuse('token contains an invalid number of segments');
      const header = parseJson(Buffer.from(head, 'base64url').toString(), () => 'token is malformed');
      // The token must not choose the algorithm.
      if (!isObject(header) || header.alg !== name.toUpperCase()) return refuse('incorrect signing method');
      const isValid = (): boolean => {
        try {
          return signer.isValid(`${head}.${body}`, Buffer.from(signature, 'base64url'), secret);
        } catch {
          return refuse('the secret is not a key of that algorithm');
        }
      };
      if (!isValid()) return refuse('token signature is invalid: signature is invalid');
      const claims = parseJson(Buffer.from(body, 'base64url').toString(), () => 'token is malformed');
      if (!isObject(claims)) return refuse('token is malformed');
      const nowSeconds = frame.run.ports.clock.nowMs() / 1000;
      if (typeof claims.exp === 'number' && nowSeconds >= claims.exp)
        return refuse('token has invalid claims: token is expired');
      if (typeof claims.nbf === 'number' && nowSeconds < claims.nbf)
        return refuse('token has invalid claims: token is not valid yet');
      return claims;
    };
  };
}

const secretParam = [param.string('signing_secret')];

export const tokenMethods: readonly MethodSpec[] = Object.entries(signers).flatMap(
  ([name, signer]): MethodSpec[] => [
    {
      name: `sign_jwt_${name}`,
      category,
      doc: `Yields a token of ${name.toUpperCase()} with the object as its claims.`,
      params: secretParam,
      make: signMethod(name, signer),
    },
    {
      name: `parse_jwt_${name}`,
      category,
      doc: `Verifies a token of ${name.toUpperCase()} and yields its claims.`,
      params: secretParam,
      // Whether a token has expired depends on the time.
      needs: 'environment',
      make: parseMethod(name, signer),
    },
  ],
);
