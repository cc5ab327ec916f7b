// A bare server of @grpc/grpc-js that answers every call with the messages of its file, each after its length in four
// bytes: the first for SubmitAndWait, all of them for GetUpdates.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Server, ServerCredentials } from '@grpc/grpc-js'

const file = readFileSync(process.argv[2])
const messages = []
for (let position = 0; position < file.length; ) {
  const end = position + 4 + file.readUInt32BE(position)
  messages.push(file.subarray(position + 4, end))
  position = end
}

const asIs = (bytes) => bytes
const method = (path, responseStream) => ({
  ...{ path, requestStream: false, responseStream },
  ...{ requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs },
})
const server = new Server()
server.addService(
  {
    SubmitAndWait: method('/com.daml.ledger.api.v2.CommandService/SubmitAndWait', false),
    GetUpdates: method('/com.daml.ledger.api.v2.UpdateService/GetUpdates', true),
  },
  {
    SubmitAndWait: (_call, answer) => answer(null, messages[0]),
    async GetUpdates(call) {
      for (const message of messages) {
        if (!call.write(message)) await new Promise((resolve) => call.once('drain', resolve))
      }
      call.end()
    },
  },
)
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  const http = createServer((_request, response) => response.end('ok'))
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${http.address().port}\n  grpc http://127.0.0.1:${port}\n`)
  })
})
