/** One persistent HTTP connection with as little client code as possible, so that the server is what is measured. */
import { Agent, request } from "node:http";

/** A persistent connection; its owner disposes of it. */
export class PersistentConnection implements Disposable {
	readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

	/**
	 * Posts JSON; resolves to the milliseconds until the whole answer has arrived. @throws {Error} for any status but
	 * 200.
	 */
	post(url: string, body: object): Promise<number> {
		const text = JSON.stringify(body);
		const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
		const began = performance.now();
		return new Promise((resolve, reject) => {
			const asked = request(url, { agent: this.#agent, method: "POST", headers }, (response) => {
				response.resume();
				response.once("error", reject);
				response.once("end", () => {
					if (response.statusCode === 200) resolve(performance.now() - began);
					else reject(new Error(`${url} answered ${response.statusCode}`));
				});
			});
			asked.once("error", reject);
			asked.end(text);
		});
	}

	[Symbol.dispose](): void {
		this.#agent.destroy();
	}
}
