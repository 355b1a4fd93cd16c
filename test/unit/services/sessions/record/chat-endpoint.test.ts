import { expect } from "chai";
import { sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";
import { loadConfig } from "#shared/config/config.ts";
import { chatEndpointAt } from "#services/sessions/record/chat-endpoint.ts";

const id = "6f1b2c3d-0000-4000-8000-000000000001";
const { gateway } = loadConfig({});

describe("chatEndpointAt()", () => {
	it("exists while a pod exists or starts, and at no other time", () => {
		const at = chatEndpointAt(gateway);
		const there = sessionStatuses.filter((status) => at({ id, status }) !== null);
		expect(there).to.deep.equal(["provisioning", "running"]);
		expect(at({ id, status: "running" })).to.equal(`ws://127.0.0.1:8080/s/${id}/session`);
	});

	it("is the public address of the gateway, with TLS if that has it", () => {
		const published = chatEndpointAt({ ...gateway, public_url: "https://atelier.example.org" });
		expect(published({ id, status: "running" })).to.equal(`wss://atelier.example.org/s/${id}/session`);
		expect(chatEndpointAt({ ...gateway, host: "::1" })({ id, status: "running" })).to.match(/^ws:\/\/\[::1\]:8080\//);
	});

	it("is absent while the gateway's port is unknown", () => {
		expect(chatEndpointAt({ ...gateway, port: 0 })({ id, status: "running" })).to.equal(null);
	});
});
