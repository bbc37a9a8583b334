import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@weir/core';

/**
 * How agents of a cluster authenticate each other. All of them share a secret of the cluster and never send it: a
 * request carries its time and a signature, and the answer a proof that its sender has the secret too. So a process at
 * an address that was reassigned learns nothing that it can use, and its bytes are not accepted.
 */
interface ExchangeKeyOptions {
  /**
   * The secrets of the cluster: the first one signs, and all of them are accepted. Read again periodically, because
   * they are rotated while the agent runs.
   */
  readonly secrets: () => ExchangeSecrets;
  readonly clusterId: string;
  readonly clock: Clock;
}

export type ExchangeSecrets = readonly [string | Uint8Array, ...(string | Uint8Array)[]];

/** Maximum clock skew between two agents; a recorded request is worthless after it. */
export const exchangeSkewMsMax = 60_000;

const scheme = 'Weir-Page-V1';
const keyUse = 'weir page exchange v1';
const keyBytes = 32;
const keyFreshMs = 1_000;

export interface SignedRequest {
  /** The value of the header `authorization`. */
  readonly authorization: string;
  readonly signature: string;
}

export type Verified =
  | {
      readonly signature: string;
      /** Returns the proof for an answer of `contentBytes`, made with the secret that signed the request. */
      prove(contentBytes: number): string;
    }
  | { readonly problem: string };

export class ExchangeKey {
  readonly #options: ExchangeKeyOptions;
  #secrets: readonly (string | Uint8Array)[] = [];
  #keys: readonly Buffer[] = [];
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(options: ExchangeKeyOptions) {
    this.#options = options;
  }

  sign(method: string, path: string): SignedRequest {
    const timeMs = Math.floor(this.#options.clock.nowMs());
    const signature = mac(this.#current()[0]!, 'request', method, path, timeMs);
    return { authorization: `${scheme} time=${timeMs}, signature=${signature}`, signature };
  }

  verify(method: string, path: string, authorization: string | undefined): Verified {
    if (authorization === undefined) return { problem: 'request is not signed' };
    const [, time, signature] = signedPattern.exec(authorization) ?? [];
    if (time === undefined || signature === undefined) {
      return { problem: `authorization header must be ${scheme} with time and signature` };
    }
    const key = this.#current().find((one) =>
      isSame(signature, mac(one, 'request', method, path, Number(time))),
    );
    if (key === undefined) {
      return { problem: 'invalid signature: not an agent of this cluster' };
    }
    if (Math.abs(this.#options.clock.nowMs() - Number(time)) > exchangeSkewMsMax) {
      return { problem: `clock skew of the request exceeds ${exchangeSkewMsMax} ms` };
    }
    return { signature, prove: (contentBytes) => proofOf(key, signature, contentBytes) };
  }

  /** Whether an answer comes from an agent. The request may have been signed with a secret that was replaced since. */
  isProven(requestSignature: string, contentBytes: number, proof: string | undefined): boolean {
    if (proof === undefined) return false;
    return this.#current().some((key) => isSame(proof, proofOf(key, requestSignature, contentBytes)));
  }

  /** Keys are derived for this use and this cluster only, so that a signature is useless elsewhere. */
  #current(): readonly Buffer[] {
    const { secrets, clusterId, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#readMs < keyFreshMs) return this.#keys;
    const found = secrets();
    if (
      found.length !== this.#secrets.length ||
      found.some((secret, index) => secret !== this.#secrets[index])
    ) {
      this.#keys = found.map((secret) =>
        Buffer.from(hkdfSync('sha256', secret, clusterId, keyUse, keyBytes)),
      );
      this.#secrets = found;
    }
    this.#readMs = nowMs;
    return this.#keys;
  }
}

function proofOf(key: Buffer, requestSignature: string, contentBytes: number): string {
  return mac(key, 'answer', requestSignature, contentBytes);
}

function mac(key: Buffer, ...parts: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('base64url');
}

const signedPattern = new RegExp(`^${scheme} time=(\\d{1,15}), signature=([\\w-]{43})$`);

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
