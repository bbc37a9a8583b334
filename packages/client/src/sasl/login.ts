import type { SaslConversation } from './conversation.ts';
import { oauthBearerConversation } from './oauth-bearer.ts';
import { plainConversation } from './plain.ts';
import { scramConversation } from './scram.ts';
import { signedConversation } from './signed.ts';

/** The identity and the mechanism of a login. */
export type SaslLogin =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'OAUTHBEARER';
      /** Returns the current token. A token file may be renewed, so every login reads it again. */
      readonly token: () => Promise<string>;
      /** Sent to a broker with the token. */
      readonly extensions?: ReadonlyMap<string, string>;
    }
  | {
      readonly mechanism: 'AWS_MSK_IAM';
      /** Returns a signed message that is valid for a while, for the host of a broker. */
      readonly payload: (host: string) => Promise<Buffer>;
    };

/** Starts a SASL exchange with a broker. */
export async function beginLogin(login: SaslLogin, host: string): Promise<SaslConversation> {
  switch (login.mechanism) {
    case 'PLAIN':
      return plainConversation(login.username, login.password);
    case 'SCRAM-SHA-256':
    case 'SCRAM-SHA-512':
      return scramConversation(login.username, login.password, undefined, login.mechanism);
    case 'OAUTHBEARER':
      return oauthBearerConversation(await login.token(), login.extensions);
    case 'AWS_MSK_IAM':
      return signedConversation(await login.payload(host));
  }
}
