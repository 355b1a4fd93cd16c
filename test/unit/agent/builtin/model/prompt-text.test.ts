import { expect } from "chai";
import { promptText } from "#agent/builtin/model/prompt-text.ts";

describe("promptText()", () => {
	it("joins readable blocks, and names others", () => {
		const blocks = [
			{ type: "text", text: "Look:" },
			{ type: "resource_link", name: "a.txt", uri: "file:///a.txt" },
			{ type: "resource", resource: { uri: "file:///b", text: "words" } },
			{ type: "resource", resource: { uri: "file:///c", blob: "AA==" } },
			{ type: "image", data: "AA==", mimeType: "image/png" },
		];
		expect(promptText(blocks)).to.equal(
			'Look:\n\n[a.txt](file:///a.txt)\n\n<resource uri="file:///b">\nwords\n</resource>\n\n' +
				'<resource uri="file:///c">\n(not text)\n</resource>\n\n(image, which this agent cannot read)',
		);
	});

	it("refuses a message without text", () => {
		expect(() => promptText([])).to.throw("The message holds no text");
		expect(() => promptText([{ type: "text", text: "" }])).to.throw("The message holds no text");
	});
});
