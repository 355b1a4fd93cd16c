import { expect } from "chai";
import { noAnswer } from "#shared/kubernetes/api/api-error.ts";
import { PageSize } from "#shared/kubernetes/api/page-size.ts";

const tooLarge = noAnswer("AnswerTooLarge", "too large");
const late = noAnswer("ClientTimeout", "late");

describe("PageSize", () => {
	let size: PageSize;
	beforeEach(() => {
		size = new PageSize();
	});

	it("gets smaller with each page of too many bytes, down to one object", () => {
		const sizes = [size.objects];
		while (size.failed(tooLarge)) sizes.push(size.objects);
		expect(sizes).to.deep.equal([500, 125, 31, 7, 1]);
	});

	it("gets larger after four pages in a row, and is never more than the usual one", () => {
		size.failed(tooLarge);
		for (let page = 1; page <= 3; page++) size.answered();
		expect(size.objects).to.equal(125);
		size.answered();
		expect(size.objects).to.equal(250);
		for (let page = 1; page <= 3; page++) size.answered();
		size.failed(tooLarge);
		size.answered();
		expect(size.objects).to.equal(62);
		for (let page = 1; page <= 100; page++) size.answered();
		expect(size.objects).to.equal(500);
	});

	it("gets smaller once after a page that is late, since an API that is away answers none", () => {
		expect([size.failed(late), size.objects]).to.deep.equal([true, 31]);
		expect([size.failed(late), size.objects]).to.deep.equal([false, 31]);
		expect([size.failed(tooLarge), size.objects]).to.deep.equal([true, 7]);
	});

	it("stays as it is after any other failure", () => {
		for (const error of [
			noAnswer("Unreachable", "away"),
			noAnswer("Aborted", "given up"),
			new Error("other"),
			undefined,
		])
			expect([size.failed(error), size.objects]).to.deep.equal([false, 500]);
	});
});
