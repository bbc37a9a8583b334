import { once } from 'node:events';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AllowedHosts } from '@weir/cluster/outbound';
import { HostRefused } from '@weir/cluster/outbound';
import type { SmtpSettings } from '../../accounts/alerts/alert-types.ts';
import { controlPlaneLimits } from '../../limits.ts';
import { codeOf, DeliveryFailed } from './outcome.ts';

interface Mail {
  readonly settings: SmtpSettings;
  readonly password: string | undefined;
  /** Headers and body, with CRLF, and no line that begins with a dot. */
  readonly text: string;
  readonly hosts: AllowedHosts;
  /** The certificate authority of the server, in PEM, if it is not a public one. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
}

/** Hands a mail to a server (RFC 5321). Returns the code of its last answer. */
export async function sendMail(mail: Mail): Promise<number> {
  const { settings, hosts, signal } = mail;
  const sockets: Socket[] = [];
  const abort = () => {
    for (const socket of sockets) socket.destroy();
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    const lookup = hosts.lookupFor(settings.host, settings.port);
    return await converse(mail, lookup, sockets);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof DeliveryFailed) throw error;
    if (error instanceof HostRefused) throw new DeliveryFailed(`${error.message}.`, { isPermanent: true });
    throw new DeliveryFailed(`The mail server could not be reached: ${codeOf(error as Error)}.`);
  } finally {
    signal.removeEventListener('abort', abort);
    abort();
  }
}

async function converse(mail: Mail, lookup: LookupFunction, sockets: Socket[]): Promise<number> {
  const { settings, password, text, ca } = mail;
  const { host, port, security, username, from, to } = settings;
  const plain = connect({ host, port, lookup });
  sockets.push(plain);
  const overTls = async (socket: Socket) => {
    // The name of the certificate; an address has none in SNI.
    const secured = connectTls({
      socket,
      host,
      servername: /^[\d.]+$|:/.test(host) ? '' : host,
      ...(ca && { ca }),
    });
    sockets.push(secured);
    await once(secured, 'secureConnect');
    return secured;
  };
  await once(plain, 'connect');
  let session = new Session(security === 'tls' ? await overTls(plain) : plain);
  await session.expect('the greeting', 220);
  let offers = await session.hello();
  if (security === 'starttls') {
    if (!offers.some((line) => /^STARTTLS$/i.test(line)))
      throw new DeliveryFailed('The mail server offers no STARTTLS.', { isPermanent: true });
    await session.command('STARTTLS', 'STARTTLS', 220);
    session = new Session(await overTls(session.release()));
    offers = await session.hello();
  }
  if (username !== undefined && password !== undefined) await session.logIn(offers, username, password);
  await session.command(`MAIL FROM:<${from}>`, 'the sender', 250);
  for (const recipient of to) await session.command(`RCPT TO:<${recipient}>`, 'a recipient', 250, 251);
  await session.command('DATA', 'DATA', 354);
  const code = await session.command(`${text.replace(/\r\n$/, '')}\r\n.`, 'the message', 250);
  // The mail is taken, whatever becomes of the farewell.
  session.end();
  return code;
}

/** Commands and replies over one socket. */
class Session {
  readonly #socket: Socket;
  #pending = '';
  #end: Error | undefined;
  #onChange: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
    // Errors of a socket without a listener would end the process.
    socket.on('error', (error) => this.#endWith(error));
    socket.on('close', () => this.#endWith(new DeliveryFailed('The mail server ended the connection.')));
  }

  /** Leaves the socket to TLS. What came before the encryption could be from anyone, so that nothing may be left. */
  release(): Socket {
    if (this.#pending !== '')
      throw new DeliveryFailed('The mail server sent data before the encryption began.');
    this.#socket.off('data', this.#onData);
    return this.#socket;
  }

  /** Greets, and returns what the server offers. */
  async hello(): Promise<readonly string[]> {
    const address = this.#socket.localAddress ?? '127.0.0.1';
    this.#write(`EHLO [${address.includes(':') ? `IPv6:${address}` : address}]`);
    const { code, lines } = await this.#reply();
    if (code !== 250) throw refused('EHLO', code);
    return lines.slice(1);
  }

  async logIn(offers: readonly string[], username: string, password: string): Promise<void> {
    const ways =
      offers
        .find((line) => /^AUTH[ =]/i.test(line))
        ?.toUpperCase()
        .split(/[ =]/) ?? [];
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    if (ways.includes('PLAIN')) {
      await this.command(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, 'the password', 235);
    } else if (ways.includes('LOGIN')) {
      await this.command('AUTH LOGIN', 'AUTH LOGIN', 334);
      await this.command(base64(username), 'the user name', 334);
      await this.command(base64(password), 'the password', 235);
    } else {
      throw new DeliveryFailed('The mail server takes no password: it offers neither PLAIN nor LOGIN.', {
        isPermanent: true,
      });
    }
  }

  async command(text: string, what: string, ...expected: readonly number[]): Promise<number> {
    this.#write(text);
    return this.expect(what, ...expected);
  }

  async expect(what: string, ...expected: readonly number[]): Promise<number> {
    const { code } = await this.#reply();
    if (!expected.includes(code)) throw refused(what, code);
    return code;
  }

  end(): void {
    this.#socket.end('QUIT\r\n');
  }

  #write(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  /** A reply of one or several lines. */
  async #reply(): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.#line();
      const [, code, more, rest] = /^(\d{3})([ -]?)(.*)$/.exec(line) ?? [];
      if (code === undefined || lines.length >= controlPlaneLimits.smtpReplyLinesMax)
        throw new DeliveryFailed('The server does not answer as a mail server does.', { isPermanent: true });
      lines.push(rest!);
      if (more !== '-') return { code: Number(code), lines };
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#pending.indexOf('\n');
      if (end >= 0) {
        const line = this.#pending.slice(0, end).replace(/\r$/, '');
        this.#pending = this.#pending.slice(end + 1);
        return line;
      }
      if (this.#pending.length > controlPlaneLimits.smtpLineCharsMax)
        throw new DeliveryFailed('The mail server sent too long a line.');
      if (this.#end !== undefined) throw this.#end;
      await new Promise<void>((resolve) => (this.#onChange = resolve));
    }
  }

  readonly #onData = (chunk: Buffer) => {
    this.#pending += chunk.toString('latin1');
    if (this.#pending.length > controlPlaneLimits.smtpPendingCharsMax) this.#socket.destroy();
    this.#onChange();
  };

  #endWith(error: Error): void {
    this.#end ??= error;
    this.#onChange();
  }
}

/** Codes from 500 on say that another attempt fails as well. */
function refused(what: string, code: number): DeliveryFailed {
  return new DeliveryFailed(`The mail server answered ${what} with code ${code}.`, {
    isPermanent: code >= 500,
  });
}
