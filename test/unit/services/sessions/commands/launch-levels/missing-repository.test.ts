import { expect } from "chai";
import { refuseMissingRepository } from "#services/sessions/commands/launch-levels/missing-repository.ts";
import { UnprocessableError } from "#shared/base/errors.ts";

const git = { type: "git" } as const;
const sentences = [
	'Unknown member "source.url" of the body',
	'Unknown member "sorce" of the body; did you mean "source"?',
	'Unknown member "repos" of the body; did you mean "repo"?',
];

describe("refuseMissingRepository()", () => {
	for (const sentence of sentences)
		it(`refuses a session that has none: ${sentence}`, () => {
			for (const request of [{}, { source: git }])
				expect(() => refuseMissingRepository(request, "", [sentence]))
					.to.throw(UnprocessableError, sentence.slice(0, 20))
					.with.property("type", "REPOSITORY_MISSING");
		});

	it("takes a session whose repository is somewhere else, or that names an empty one", () => {
		for (const sentence of sentences) {
			refuseMissingRepository({ source: git }, "https://git.example/a", [sentence]);
			refuseMissingRepository({ source: { ...git, repo: "" } }, "", [sentence]);
			refuseMissingRepository({ repo: "" }, "", [sentence]);
		}
	});

	it("takes a request without a repository, as the contract has it", () => {
		refuseMissingRepository({}, "");
		refuseMissingRepository({ source: git }, "", ['Unknown member "modle" of the body; did you mean "model"?']);
	});
});
