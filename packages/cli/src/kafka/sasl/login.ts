import type { SaslConversation } from './conversation.ts';
import { oauthBearerConversation } from './oauth-bearer.ts';
import { plainConversation } from './plain.ts';
import { scramConversation } from './scram.ts';

/** As whom to log in, and how. */
export type SaslLogin =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'OAUTHBEARER';
      /** The token of the moment. One that is kept in a file is renewed there, so that every login asks for it. */
      readonly token: () => Promise<string>;
    };

/** Begins to log in. */
export async function beginLogin(login: SaslLogin): Promise<SaslConversation> {
  switch (login.mechanism) {
    case 'PLAIN':
      return plainConversation(login.username, login.password);
    case 'SCRAM-SHA-512':
      return scramConversation(login.username, login.password);
    case 'OAUTHBEARER':
      return oauthBearerConversation(await login.token());
  }
}
