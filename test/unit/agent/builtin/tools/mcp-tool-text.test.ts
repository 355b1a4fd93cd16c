import { expect } from "chai";
import fc from "fast-check";
import { mcpText, mcpToolName } from "#agent/builtin/tools/mcp-tool-text.ts";

describe("mcpToolName()", () => {
	it("joins server and tool", () => expect(mcpToolName("files", "read-all")).to.equal("files__read-all"));

	it("is always a valid name for providers, and different for different tools", () => {
		fc.assert(
			fc.property(fc.string(), fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (server, a, b) => {
				expect(mcpToolName(server, a)).to.match(/^[\w-]{1,64}$/);
				if (a !== b) expect(mcpToolName(server, a)).not.to.equal(mcpToolName(server, b));
			}),
		);
	});
});

describe("mcpText()", () => {
	it("is the text of a result, with the kind of other content", () => {
		const content = [
			{ type: "text", text: "words" },
			{ type: "image", data: "AA==", mimeType: "image/png" },
			{ type: "resource", resource: { uri: "file:///a", text: "of a file" } },
			{ type: "resource_link", uri: "file:///b" },
		];
		expect(mcpText({ content })).to.equal("words\n(image, image/png; not shown to the model)\nof a file\nfile:///b");
		expect(mcpText({ content: [], structuredContent: { a: 1 } })).to.equal('{"a":1}');
		expect(mcpText({})).to.equal("(No output)");
	});
});
