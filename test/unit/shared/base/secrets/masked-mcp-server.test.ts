import { expect } from "chai";
import { maskedMcpServer } from "#shared/base/secrets/masked-mcp-server.ts";

const secret = "s3cret";

describe("maskedMcpServer()", () => {
	it("shows the names of variables and headers, and neither values nor the user part of a URL", () => {
		const server = {
			name: "web",
			url: `https://u:${secret}@mcp.example/x`,
			env: { A: secret },
			headers: { B: secret },
		};
		expect(maskedMcpServer(server)).to.deep.equal({
			name: "web",
			url: "https://mcp.example/x",
			env: { A: "***" },
			headers: { B: "***" },
		});
		expect(server.env.A).to.equal(secret);
	});

	for (const [url, shown] of [
		[`https://u:a ${secret}@mcp.example/x`, "https://mcp.example/x"],
		[`https://u:a'${secret}@mcp.example/x`, "https://mcp.example/x"],
		[`https://u:a@${secret}@mcp.example/x`, "https://mcp.example/x"],
		[`https:/u:${secret}@mcp.example/x`, "https:/mcp.example/x"],
		[` https://${secret}@mcp.example/x`, " https://mcp.example/x"],
		[`https://u:a/${secret}@mcp.example/x`, "https://mcp.example/x"],
		["https://mcp.example/@scope/x", "https://mcp.example/@scope/x"],
		[`https://mcp.example/x?key=${secret}&v=1#top`, "https://mcp.example/x?key=***&v=***#top"],
		[`https://u:${secret}@mcp.example/x?key=${secret}`, "https://mcp.example/x?key=***"],
	] as const)
		it(`shows "${url}" without its secrets`, () => {
			expect(maskedMcpServer({ url })).to.deep.equal({ url: shown });
		});

	it("masks a map that is none as a whole, and adds no member", () => {
		expect(maskedMcpServer({ env: [secret], headers: secret })).to.deep.equal({ env: {}, headers: {} });
		expect(maskedMcpServer({ url: null })).to.deep.equal({ url: null });
	});
});
