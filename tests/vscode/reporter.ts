/** Prints one line a test, and `N passed, N failed, N skipped` at the end. */
import type {TestEvent} from 'node:test/reporters';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let [passed, failed, skipped] = [0, 0, 0];
  for await (const {type, data} of events) {
    if (type === 'test:pass' && data.details.type !== 'suite') {
      const skip = data.skip !== undefined && data.skip !== false;
      skip ? (skipped += 1) : (passed += 1);
      yield skip ? `skip  ${data.name}: ${data.skip}\n` : `ok    ${data.name}\n`;
    } else if (type === 'test:fail' && data.details.type !== 'suite') {
      failed += 1;
      const {cause, stack} = data.details.error as Error & {cause?: Error};
      yield `FAIL  ${data.name}\n${(cause?.stack ?? stack ?? '').replace(/^/gm, '      ')}\n`;
    } else if (type === 'test:stderr' || type === 'test:stdout') {
      yield data.message;
    }
  }
  yield `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}
