/** The units of bytes as Kubernetes writes them (Kubernetes, "Quantity"), with the large K that people write. */
export const byteUnits: Readonly<Record<string, number>> = {
	Ki: 2 ** 10,
	Mi: 2 ** 20,
	Gi: 2 ** 30,
	Ti: 2 ** 40,
	Pi: 2 ** 50,
	Ei: 2 ** 60,
	K: 1e3,
	k: 1e3,
	M: 1e6,
	G: 1e9,
	T: 1e12,
	P: 1e15,
	E: 1e18,
};
