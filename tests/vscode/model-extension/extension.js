// A language model that edits, then tells what it was told. "blocked" has no quota; for "guarded" the editor asks the
// person whether an extension may have it. With the setting `tests.silent`, another provider never says what it has.
const {
  LanguageModelError,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  lm,
  workspace,
} = require('vscode');

const EDIT = {path: 'src/greet.ts', old_string: '"hi "', new_string: '"hello, "'};
const about = (id) => ({
  id,
  name: `Model ${id}`,
  family: id,
  version: '1',
  maxInputTokens: 100_000,
  maxOutputTokens: 10_000,
  capabilities: {toolCalling: true},
  requiresAuthorization: id === 'guarded',
});

exports.activate = ({subscriptions}) => {
  if (workspace.getConfiguration('tests').get('silent')) {
    subscriptions.push(
      lm.registerLanguageModelChatProvider('skills-tests-silent', {
        provideLanguageModelChatInformation: () => new Promise(() => undefined),
      }),
    );
  }
  subscriptions.push(
    lm.registerLanguageModelChatProvider('skills-tests', {
      provideLanguageModelChatInformation: () => ['edits', 'blocked', 'guarded'].map(about),
      provideTokenCount: async () => 1,
      async provideLanguageModelChatResponse(model, messages, options, progress) {
        if (model.id === 'blocked') {
          throw LanguageModelError.Blocked('the monthly quota is used up');
        }
        const result = messages.at(-1).content.find((part) => part instanceof LanguageModelToolResultPart);
        if (result === undefined) {
          const offered = options.tools.some(({name}) => name === 'replace_range');
          progress.report(new LanguageModelTextPart(`I have ${offered ? 'my tools' : 'no tools'}.`));
          progress.report(new LanguageModelToolCallPart('call-1', 'replace_range', EDIT));
        } else {
          progress.report(new LanguageModelTextPart('The greeting is the agreed one now.'));
        }
      },
    }),
  );
};
