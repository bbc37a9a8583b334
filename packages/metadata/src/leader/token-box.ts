/** Seals the HMACs of delegation tokens, so that a copy of the journal or of a backup is no login. */
export interface TokenBox {
  /** `undefined` without sealing keys. */
  seal(tokenId: string, hmac: Uint8Array): Promise<string | undefined>;
  /** Returns the HMACs of tokens in their order, `undefined` for those that cannot be opened. */
  open(
    tokens: readonly { readonly tokenId: string; readonly sealedHmac: string }[],
  ): Promise<readonly (Uint8Array | undefined)[]>;
}

/** Of a cluster without sealing keys. */
export const noTokenBox: TokenBox = {
  seal: async () => undefined,
  open: async (tokens) => tokens.map(() => undefined),
};
