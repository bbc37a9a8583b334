import type { TokenBox } from '@weir/metadata';
import type { Secrets } from '../accounts/workspaces/secrets.ts';

/** Tokens opened in one turn: each takes some ten microseconds. */
const tokensPerTurn = 100;

/** Seals delegation tokens of a cluster with the sealing keys of the control plane. */
export function tokenBox(
  secrets: Pick<Secrets, 'sealText' | 'openText'>,
  clusterId: string,
  nextTurn: () => Promise<void>,
): TokenBox {
  return {
    seal: async (tokenId, hmac) =>
      secrets.sealText(Buffer.from(hmac).toString('base64'), purposeOf(clusterId, tokenId)),
    async open(tokens) {
      const hmacs: (Uint8Array | undefined)[] = [];
      for (const { tokenId, sealedHmac } of tokens) {
        if (hmacs.length % tokensPerTurn === tokensPerTurn - 1) await nextTurn();
        const text = secrets.openText(sealedHmac, purposeOf(clusterId, tokenId));
        hmacs.push(text === undefined ? undefined : Buffer.from(text, 'base64'));
      }
      return hmacs;
    },
  };
}

/** A sealed text that is moved to another token does not open. */
function purposeOf(clusterId: string, tokenId: string): string {
  return `delegation token ${JSON.stringify([clusterId, tokenId])}`;
}
