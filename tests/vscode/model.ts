/** The model endpoint: aimock, an implementation of the providers' wire formats that this project did not write. */
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {until} from './until.ts';

/** What the model answers to one request. */
export interface Answer {
  readonly says?: string;
  /** It is given when the person's last words contain this, whatever came before. */
  readonly asked?: string;
  /** A tool and its arguments. */
  readonly calls?: readonly [string, object];
  /** Milliseconds between two pieces of the stream. */
  readonly pace?: number;
}

/** A request as the endpoint understood it. */
interface Request {
  readonly path: string;
  readonly body: {readonly messages: readonly {readonly role: string; readonly content: string}[]};
}

export class Model {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(): Promise<Model> {
    const program = process.env['SKILLS_TEST_MODEL'];
    if (program === undefined) {
      throw new Error('SKILLS_TEST_MODEL names the model endpoint');
    }
    // It wants at least one answer to start with; each test brings its own.
    const answers = join(mkdtempSync(join(tmpdir(), 'model-')), 'answers.json');
    const unused = {match: {userMessage: 'unused'}, response: {content: 'unused'}};
    writeFileSync(answers, JSON.stringify({fixtures: [unused]}));
    const child = spawn(program, ['--port', '0', '--fixtures', answers, '--strict']);
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    const url = await until('the model endpoint listens', () => /listening on (http:\/\/[\d.:]+)/.exec(output)?.[1]);
    return new Model(child, url);
  }

  /** Sets what the model answers: each answer but the first to a request with the result of the call before it. */
  async play(answers: readonly Answer[]): Promise<void> {
    await this.#call('POST', '/reset');
    const fixtures = answers.map(({says, asked, calls, pace}, index) => ({
      match:
        asked !== undefined
          ? {userMessage: asked}
          : index === 0
            ? {hasToolResult: false}
            : {toolCallId: `call_${index}`},
      response: {
        content: says,
        usage: {input_tokens: 1_200, output_tokens: 34},
        toolCalls: calls && [{id: `call_${index + 1}`, name: calls[0], arguments: JSON.stringify(calls[1])}],
      },
      latency: pace,
      chunkSize: 8,
    }));
    // The first that fits is the answer.
    fixtures.sort((one, other) => Number('userMessage' in other.match) - Number('userMessage' in one.match));
    await this.#call('POST', '/fixtures', {fixtures});
  }

  /** The requests so far. */
  async requests(): Promise<Request[]> {
    const journal = (await this.#call('GET', '/journal')) as Request[];
    return journal.filter(({path}) => path.includes('/v1/messages'));
  }

  /** Waits until the endpoint has got a number of requests. */
  async waitForRequests(count: number): Promise<void> {
    await until(`the model is asked ${count} times`, async () => (await this.requests()).length >= count);
  }

  /** The tool result that the last request brought. */
  async lastToolResult(): Promise<string> {
    return (await this.requests()).at(-1)?.body.messages.at(-1)?.content ?? '';
  }

  async stop(): Promise<void> {
    this.#process.kill();
    await once(this.#process, 'exit');
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const content = body === undefined ? {} : {body: JSON.stringify(body)};
    const headers = {'content-type': 'application/json'};
    const reply = await fetch(`${this.url}/__aimock${path}`, {method, headers, ...content});
    if (!reply.ok) {
      throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    }
    return reply.json();
  }
}
