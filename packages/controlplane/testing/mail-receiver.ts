import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  /** As `user:password`. */
  readonly login: string | undefined;
  readonly isSecure: boolean;
}

interface MailReceiverOptions {
  /** For STARTTLS, or for TLS from the beginning. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly isFromBeginning?: boolean };
  readonly ways?: string;
  /** What it answers to a command instead of the usual. */
  readonly answers?: Readonly<Record<string, string>>;
}

interface MailReceiver {
  readonly port: number;
  readonly received: ReceivedMail[];
}

/** A mail server on this machine, which knows as much of SMTP as a sender needs. */
export async function startMailReceiver(
  t: TestContext,
  { tls, ways = 'PLAIN LOGIN', answers = {} }: MailReceiverOptions = {},
): Promise<MailReceiver> {
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const serve = (plain: Socket, isSecure: boolean, greets: boolean) => {
    const socket = isSecure ? new TLSSocket(plain, { isServer: true, ...tls }) : plain;
    sockets.add(socket);
    let pending = '';
    let data: string[] | undefined;
    let login: string | undefined;
    let loginLines: string[] | undefined;
    let [from, to]: [string, string[]] = ['', []];
    const decoded = (text: string) => Buffer.from(text, 'base64').toString();
    const say = (line: string) => socket.write(`${line}\r\n`);
    const onLine = (line: string) => {
      if (data !== undefined) {
        if (line !== '.') return void data.push(line);
        received.push({ from, to, text: data.join('\r\n'), login, isSecure });
        data = undefined;
        return say(answers.message ?? '250 taken');
      }
      if (loginLines !== undefined) {
        loginLines.push(decoded(line));
        if (loginLines.length < 2) return say('334 UGFzc3dvcmQ6');
        login = loginLines.join(':');
        loginLines = undefined;
        return say('235 welcome');
      }
      const [verb = ''] = line.toUpperCase().split(/[ :]/);
      if (answers[verb] !== undefined) return say(answers[verb]);
      if (verb === 'EHLO') {
        const offers = [
          ...(tls !== undefined && !isSecure ? ['STARTTLS'] : []),
          `AUTH ${ways}`,
          'SIZE 1000000',
        ];
        return say(
          ['here', ...offers].map((text, at) => `250${at === offers.length ? ' ' : '-'}${text}`).join('\r\n'),
        );
      }
      if (verb === 'STARTTLS') {
        say('220 go ahead');
        socket.removeAllListeners('data');
        return serve(plain, true, false);
      }
      if (line.startsWith('AUTH PLAIN ')) {
        login = decoded(line.slice(11)).split('\0').slice(1).join(':');
        return say('235 welcome');
      }
      if (line === 'AUTH LOGIN') {
        loginLines = [];
        return say('334 VXNlcm5hbWU6');
      }
      if (verb === 'MAIL') from = line.slice(10);
      if (verb === 'RCPT') to = [...to, line.slice(8)];
      if (verb === 'DATA') {
        data = [];
        return say('354 go on');
      }
      if (verb === 'QUIT') return socket.end('221 bye\r\n');
      say('250 ok');
    };
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      pending += chunk.toString();
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        onLine(line);
      }
    });
    if (greets) say(answers.greeting ?? '220 mail.example ready');
  };
  const server = createServer((socket) => serve(socket, tls?.isFromBeginning === true, true));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}
